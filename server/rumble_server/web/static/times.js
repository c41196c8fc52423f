// Times as the reader's clock has them.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/**
 * Put the reader's time into every `<time>` of a part of the page.
 * @param {ParentNode} part
 */
export function showTimes(part) {
  for (const time of part.querySelectorAll("time")) {
    if (time.dateTime) time.textContent = format.format(new Date(time.dateTime));
  }
}

showTimes(document);
