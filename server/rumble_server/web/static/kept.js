// What the browser keeps for later visits, or in `sessionStorage` for the visit of this tab. Where storage is forbidden,
// nothing is kept.

/** @typedef {"localStorage" | "sessionStorage"} Where */

/** Return a kept value; null without one. @param {string} key @param {Where} where */
export function kept(key, where = "localStorage") {
  try {
    return globalThis[where].getItem(key);
  } catch {
    return null; // storage is forbidden
  }
}

/** Keep a value; null forgets the last one. @param {string} key @param {string | null} value @param {Where} where */
export function keep(key, value, where = "localStorage") {
  try {
    if (value === null) globalThis[where].removeItem(key);
    else globalThis[where].setItem(key, value);
  } catch {
    return; // storage is forbidden
  }
}
