// Times in the reader's time zone.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Write a time in ms since 1970. @param {number} ms */
export function moment(ms) {
  return format.format(ms);
}

/**
 * Write every `<time>` of a part of the page in the reader's time zone.
 * @param {ParentNode} part
 */
export function showTimes(part) {
  for (const time of part.querySelectorAll("time")) {
    if (time.dateTime) time.textContent = moment(Date.parse(time.dateTime));
  }
}

showTimes(document);
