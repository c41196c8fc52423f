// The code editor of the page `/code`: CodeMirror with JavaScript and Python, made into one script by esbuild.

import { indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { EditorView, basicSetup } from "codemirror";

/** The colours are variables of the page's style sheet, for light and dark. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)" },
]);
const look = EditorView.theme({
  "&": { height: "100%", color: "var(--code-ink)", backgroundColor: "var(--code-ground)" },
  ".cm-scroller": { fontFamily: "var(--code-font)", overflow: "auto" },
  ".cm-content": { caretColor: "var(--code-ink)" },
  ".cm-gutters": { color: "var(--code-comment)", backgroundColor: "var(--code-ground)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--code-line)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--code-selected) !important" },
  ".cm-cursor": { borderLeftColor: "var(--code-ink)" },
});

/**
 * Replace the selection by the text typed. The browser would do so by inline styles, which the page's policy refuses.
 * @param {InputEvent} event @param {EditorView} view
 */
function typed({ inputType, data }, view) {
  const { from, to } = view.state.selection.main;
  if (inputType !== "insertText" || data === null || from === to || view.composing) return false;
  const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
  const handled = view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, data, insert));
  if (!handled) view.dispatch(insert());
  return true;
}

/**
 * Make an editor in a shadow root, where its styles do not touch the page.
 * @param {ShadowRoot} root @param {string} label @param {() => void} changed
 */
export function editor(root, label, changed) {
  const language = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      extensions: [
        basicSetup,
        keymap.of([indentWithTab]),
        language.of([]),
        syntaxHighlighting(colours),
        look,
        EditorView.lineWrapping,
        EditorView.domEventHandlers({ beforeinput: typed }),
        EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-description": "Escape, then Tab leaves the code." }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed();
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    /** @param {string} text @param {string} name "python" or "javascript" */
    show(text, name) {
      const rules = name === "python" ? [python(), indentUnit.of("    ")] : [javascript(), indentUnit.of("  ")];
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, effects: language.reconfigure(rules) });
    },
    /** Select a line, counted from 1. @param {number} number */
    line(number) {
      const line = view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
      view.dispatch({ selection: { anchor: line.from, head: line.to }, scrollIntoView: true });
    },
  };
}
