// Times as the reader's clock has them.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time")) {
  if (time.dateTime) time.textContent = format.format(new Date(time.dateTime));
}
