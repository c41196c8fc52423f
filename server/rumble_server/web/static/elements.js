// Helpers that find, make and change the elements of a page.

/**
 * Return the element with this id. Throws if the page has none.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * Make an element with attributes and children; text is never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Change a text if it differs, so that equal text is not laid out again. Returns whether the text changed.
 * @param {Element} target
 * @param {string} text
 */
export function setText(target, text) {
  const differs = target.textContent !== text;
  if (differs) target.textContent = text;
  return differs;
}

/**
 * Change a class if it differs.
 * @param {Element} target
 * @param {string} name
 */
export function setClass(target, name) {
  if (target.className !== name) target.className = name;
}

/**
 * Show a text in its place; an empty text hides the place.
 * @param {HTMLElement} place
 * @param {string} text
 */
export function showText(place, text) {
  setText(place, text);
  place.hidden = !text;
}

/**
 * Show the problem with the content of a field; an empty text removes the problem.
 * @param {Element} field
 * @param {HTMLElement} place
 * @param {string} text
 */
export function showProblem(field, place, text) {
  showText(place, text);
  if (text) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

/**
 * Make a small button; `unseen` is the rest of its name, for screen readers.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, string>} attributes
 * @param {string} unseen
 */
export function button(text, act, attributes = {}, unseen = "") {
  const made = element("button", { type: "button", class: "compact", ...attributes }, text);
  if (unseen) made.append(element("span", { class: "unseen" }, ` ${unseen}`));
  made.addEventListener("click", act);
  return made;
}

/**
 * Make a row of a table from cells, or from the content of a heading and of cells.
 * @param {(Node | string)[]} contents
 */
export function tableRow(...contents) {
  const cells = contents.map((each, place) => {
    if (each instanceof HTMLTableCellElement) return each;
    return place ? element("td", {}, each) : element("th", { scope: "row" }, each);
  });
  return element("tr", {}, ...cells);
}

/**
 * Call `act` in place of sending a form, unless the last call is not done, as after a double click.
 * @param {string} id
 * @param {() => unknown} act
 */
export function onSubmit(id, act) {
  let isBusy = false;
  byId(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    try {
      await act();
    } finally {
      isBusy = false;
    }
  });
}
