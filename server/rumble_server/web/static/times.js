// Times in the reader's time zone.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/**
 * Write every `<time>` of a part of the page in the reader's time zone.
 * @param {ParentNode} part
 */
export function showTimes(part) {
  for (const time of part.querySelectorAll("time")) {
    if (time.dateTime) time.textContent = format.format(new Date(time.dateTime));
  }
}

showTimes(document);
