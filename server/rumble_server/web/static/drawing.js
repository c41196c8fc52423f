// @ts-check
// Boards as SVG in the browser, drawn as the server draws them (`pages/board_svg.py`).

import SHAPES from "./shapes.js";

/**
 * @typedef {{name: string, seat: number | null, shape: string, colour: string, label: string}} Piece
 * @typedef {object} Drawing
 * @property {string} surface
 * @property {number} columns
 * @property {string} board
 * @property {Record<string, Piece>} pieces
 * @property {string[]} column_labels
 * @property {string[]} row_labels
 * @property {string[]} names
 * @property {number[]} last
 * @property {string[]} edges
 * @property {boolean} facing
 * @property {string[]} top_labels
 *
 * @typedef {[number, number]} Spot
 */

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 8;
const LABELLED = 46;
const DOWN = 87;
export const HEXAGON = "m0-58l50 29v58l-50 29l-50-29v-58z";
const ON_SQUARES = ["grid", "chequered", "felt", "points"];

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Element | string)} children
 * @returns {SVGElement}
 */
export function tag(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return /** @type {SVGElement} */ (made);
}

/** @param {string} kind @param {string} d */
export const path = (kind, d) => tag("path", { class: kind, d });
/** @param {string} kind @param {number} x @param {number} y @param {number} width @param {number} height */
export const rect = (kind, x, y, width, height) => tag("rect", { class: kind, x, y, width, height });
/** @param {string} kind @param {Spot} spot @param {number} r */
export const circle = (kind, [cx, cy], r) => tag("circle", { class: kind, cx, cy, r });
/** @param {Spot} spot @param {string} words */
const text = ([x, y], words) => tag("text", { x, y }, words);
/** @param {number} length @returns {number[]} */
export const range = (length) => Array.from({ length }, (_, index) => index);

/** The positions of cells, labels and corners on a board; a cell is 100 units wide. */
export class Plan {
  /** @param {Drawing} drawing @param {boolean} flipped */
  constructor(drawing, flipped) {
    this.columns = drawing.columns;
    this.rows = drawing.board.length / drawing.columns;
    this.flipped = flipped && drawing.facing;
    this.slanted = drawing.surface === "hexagons";
    if (this.slanted) {
      this.left = 186;
      this.top = 150;
      this.width = this.left + 100 * (this.columns - 1) + 50 * (this.rows - 1) + 160;
      this.height = this.top + DOWN * (this.rows - 1) + 100;
    } else {
      this.left = (drawing.row_labels.length ? LABELLED : MARGIN) + 50;
      this.top = (drawing.top_labels.length ? LABELLED : MARGIN) + 50;
      this.width = this.left + 100 * this.columns - 50 + MARGIN;
      this.height = this.top + 100 * this.rows - 50 + (drawing.column_labels.length ? LABELLED : MARGIN);
    }
  }

  /** @param {number} row @param {number} column @returns {Spot} */
  at(row, column) {
    if (this.slanted) return [this.left + 100 * column + 50 * row, this.top + DOWN * row];
    return [this.left + 100 * column, this.top + 100 * row];
  }

  /** @param {number} cell @returns {Spot} */
  cell(cell) {
    const place = this.flipped ? this.columns * this.rows - 1 - cell : cell;
    return this.at(Math.floor(place / this.columns), place % this.columns);
  }

  /** @param {number} column @returns {Spot} */
  columnLabel(column) {
    const [x, y] = this.at(this.slanted ? 0 : this.rows - 1, this.flipped ? this.columns - 1 - column : column);
    return this.slanted ? [x - 68, y - 118] : [x, y + 74];
  }

  /** @param {number} column @returns {Spot} */
  topLabel(column) {
    const [x, y] = this.cell(column);
    return [x, y - 74];
  }

  /** @param {number} row @returns {Spot} */
  rowLabel(row) {
    const [x, y] = this.at(this.flipped ? this.rows - 1 - row : row, 0);
    return [x - (this.slanted ? 138 : 74), y];
  }

  /** @returns {{corners: Spot[], middle: Spot}} */
  corners() {
    const [a, b] = this.at(0, 0);
    const [c, d] = this.at(0, this.columns - 1);
    const [e, f] = this.at(this.rows - 1, this.columns - 1);
    const [g, h] = this.at(this.rows - 1, 0);
    return {
      corners: [[a - 150, b - 87], [c + 50, d - 87], [e + 150, f + 87], [g - 50, h + 87]],
      middle: [Math.floor((a + e) / 2), Math.floor((b + f) / 2)],
    };
  }
}

/** @param {string} kind @param {Plan} plan */
const whole = (kind, plan) => rect(kind, plan.left - 50, plan.top - 50, 100 * plan.columns, 100 * plan.rows);

/** @param {Plan} plan @param {number} first @param {number} last */
function ruled(plan, first, last) {
  const { left, top } = plan;
  const shift = 50 * first;
  const right = left + 100 * (plan.columns - 1);
  const bottom = top + 100 * (plan.rows - 1);
  let d = "";
  for (let row = first; row < plan.rows + 1 - last; row += 1) {
    d += `M${left - shift} ${top + 100 * row - shift}H${right + shift}`;
  }
  for (let column = first; column < plan.columns + 1 - last; column += 1) {
    d += `M${left + 100 * column - shift} ${top - shift}V${bottom + shift}`;
  }
  return path("lines", d);
}

/** @param {Plan} plan @returns {number[]} */
function stars(plan) {
  const size = plan.columns;
  if (size !== plan.rows || size < 9 || size % 2 === 0) return [];
  const near = size < 13 ? 2 : 3;
  const [far, middle] = [size - 1 - near, Math.floor(size / 2)];
  const places = [[near, near], [near, far], [far, near], [far, far], [middle, middle]];
  if (size === 19) places.push([near, middle], [middle, near], [middle, far], [far, middle]);
  return places.map(([row, column]) => row * size + column).sort((one, other) => one - other);
}

/** @type {Record<string, (drawing: Drawing, plan: Plan) => SVGElement[]>} */
const SURFACES = {
  grid: (_, plan) => [whole("grid", plan), ruled(plan, 1, 1)],
  felt: (_, plan) => [whole("felt", plan), ruled(plan, 1, 1)],
  lines(_, plan) {
    const dots = stars(plan).map((cell) => circle("star", plan.cell(cell), 9));
    return [whole("wood", plan), ruled(plan, 0, 1), tag("g", { class: "stars" }, ...dots)];
  },
  chequered({ board }, plan) {
    const dark = range(board.length).filter((cell) => (Math.floor(cell / plan.columns) + (cell % plan.columns)) % 2);
    const squares = dark.map((cell) => {
      const [x, y] = plan.cell(cell);
      return `M${x - 50} ${y - 50}h100v100h-100z`;
    });
    return [whole("light-squares", plan), path("dark-squares", squares.join(""))];
  },
  holes({ board }, plan) {
    const holes = range(board.length).map((cell) => {
      const [x, y] = plan.cell(cell);
      return `M${x} ${y}m-40 0a40 40 0 1 0 80 0a40 40 0 1 0-80 0z`;
    });
    return [whole("plate", plan), path("holes", holes.join(""))];
  },
  hexagons({ board, edges }, plan) {
    const { corners, middle } = plan.corners();
    const strips = edges.map((colour, number) => {
      const [[a, b], [c, d]] = [corners[number], corners[(number + 1) % 4]];
      return path(`edge ${colour}`, `M${a} ${b}L${c} ${d}L${middle[0]} ${middle[1]}z`);
    });
    const cells = range(board.length).map((cell) => `M${plan.cell(cell).join(" ")}${HEXAGON}`);
    return [...strips, path("hexagons", cells.join(""))];
  },
  points(_, plan) {
    const bar = Math.floor(plan.columns / 2) - 1;
    const high = 100 * Math.floor(plan.rows / 2) - 30;
    /** @param {number} column @returns {Spot} */
    const corner = (column) => [plan.cell(column)[0] - 50, plan.cell(column)[1] - 50];
    const bars = [bar, plan.columns - 1].map((column) => rect("tray", ...corner(column), 100, 100 * plan.rows));
    const points = ["light-squares", "dark-squares"].map((kind, parity) => {
      const columns = range(plan.columns - 1).filter((column) => column !== bar);
      const triangles = columns.map((column) => {
        const [x, y] = corner(column);
        const isAbove = (column + Number(column > bar)) % 2 === parity;
        return `M${x} ${isAbove ? y : y + 100 * plan.rows}h100l-50 ${isAbove ? high : -high}z`;
      });
      return path(kind, triangles.join(""));
    });
    return [whole("felt", plan), ...bars, ...points];
  },
};

/** @param {Drawing} drawing @param {Plan} plan @returns {SVGElement[]} */
function labels(drawing, plan) {
  const groups = [];
  const columns = drawing.column_labels.map((words, column) => text(plan.columnLabel(column), words));
  columns.push(...drawing.top_labels.map((words, column) => text(plan.topLabel(column), words)));
  const rows = drawing.row_labels.map((words, row) => text(plan.rowLabel(row), words));
  const size = drawing.columns > 10 ? "wide" : "narrow";
  if (columns.length || rows.length) groups.push(tag("g", { class: `labels ${size}` }, ...columns, ...rows));
  if (drawing.names.length) {
    const names = [];
    for (const [cell, name] of drawing.names.entries()) {
      const [x, y] = plan.cell(cell);
      if (name) names.push(text([x - 37, y - 38], name));
    }
    groups.push(tag("g", { class: "names" }, ...names));
  }
  return groups;
}

/**
 * Draw the marks of the last move: squares `under` the pieces, or rings over the pieces.
 * @param {Drawing} drawing @param {Plan} plan @param {boolean} under @returns {SVGElement[]}
 */
export function lastMove(drawing, plan, under) {
  if (!drawing.last.length || under !== ON_SQUARES.includes(drawing.surface)) return [];
  const marks = drawing.last.flatMap((cell) => {
    const [x, y] = plan.cell(cell);
    if (under) return [rect("last square", x - 47, y - 47, 94, 94)];
    return ["last rim", "last ring"].map((kind) => circle(kind, [x, y], 17));
  });
  return [tag("g", { class: "marked" }, ...marks)];
}

/** @param {Drawing} drawing @param {Plan} plan @returns {SVGElement[]} */
function pieces(drawing, plan) {
  return [...drawing.board].flatMap((mark, cell) => (mark in drawing.pieces ? [pieceAt(drawing.pieces[mark], plan.cell(cell))] : []));
}

/** @param {Piece} piece @param {number[]} spot */
export function pieceAt({ shape, colour, label }, spot) {
  const place = { class: `piece ${colour} ${shape}`, transform: `translate(${spot.join(" ")})` };
  const drawn = /** @type {Record<string, string[][]>} */ (SHAPES)[shape];
  const paths = drawn.map(([kind, d]) => path(kind, d));
  return tag("g", place, ...paths, ...(label ? [text([0, 0], label)] : []));
}

/**
 * Draw a seat's first piece; null if the seat has no pieces of its own.
 * @param {Drawing} drawing @param {number} seat
 */
export function seatPiece(drawing, seat) {
  const own = Object.values(drawing.pieces).find((piece) => piece.seat === seat);
  return own ? tag("svg", { viewBox: "0 0 100 100", role: "img", "aria-label": own.name }, pieceAt(own, [50, 50])) : null;
}

/**
 * Return the name of a cell.
 * @param {Drawing} drawing @param {number} cell
 */
export function cellName(drawing, cell) {
  if (drawing.names.length) return drawing.names[cell];
  const { columns, board } = drawing;
  const row = Math.floor(cell / columns);
  const [isAbove, isBelow] = [2 * row + 2 <= board.length / columns, 2 * row >= board.length / columns];
  const labels = !drawing.top_labels.length || isBelow ? drawing.column_labels : isAbove ? drawing.top_labels : [];
  const [across, down] = [labels[cell % columns] ?? "", drawing.row_labels[row] ?? ""];
  return across + (/^\d+$/.test(across) && down ? "," : "") + down;
}

/**
 * Write the position in words, for screen readers. A board without names is read row by row.
 * @param {Drawing} drawing
 */
export function inWords(drawing) {
  const { board, columns, pieces } = drawing;
  const isNamed = [drawing.names, drawing.column_labels, drawing.row_labels].some((each) => each.length);
  const rows = range(board.length / columns).map((row) => [...board.slice(row * columns, (row + 1) * columns)]);
  const inRow = (/** @type {string[]} */ row) => row.flatMap((mark) => pieces[mark]?.name ?? []).join(" ");
  const parts = isNamed ? Object.keys(pieces).map((mark) => where(drawing, mark)) : rows.map(inRow);
  return parts.flatMap((each) => (each ? [`${each}.`] : [])).join(" ") || "Nothing on the board.";
}

/**
 * Write the name of a piece with the names of its cells; empty for a piece that is not on the board.
 * @param {Drawing} drawing @param {string} mark
 */
function where(drawing, mark) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [cell, found] of [...drawing.board].entries()) {
    const name = found === mark ? cellName(drawing, cell) : null;
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (!counts.size) return "";
  const cells = [...counts].flatMap(([name, count]) => (name ? [count > 1 ? `${name} (${count})` : name] : []));
  return drawing.pieces[mark].name + (cells.length ? `: ${cells.join(cells.join("").includes(",") ? "; " : ", ")}` : "");
}

/**
 * Make the picture of a drawing.
 * @param {Drawing} drawing @param {string} label @param {boolean} flipped
 */
export function picture(drawing, label, flipped = false) {
  const plan = new Plan(drawing, flipped);
  const surface = SURFACES[drawing.surface](drawing, plan);
  return tag(
    "svg",
    { viewBox: `0 0 ${plan.width} ${plan.height}`, role: "img", "aria-label": `${label}. ${inWords(drawing)}` },
    tag("g", { class: "surface" }, ...surface, ...labels(drawing, plan)),
    ...lastMove(drawing, plan, true),
    tag("g", { class: "pieces" }, ...pieces(drawing, plan)),
    ...lastMove(drawing, plan, false),
  );
}
