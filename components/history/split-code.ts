export type Piece = { kind: 'text' | 'code'; text: string; language: string }

const FENCE = /^[ \t]*```([\w+#.-]*)[^\n]*\n([\s\S]*?)(?:\n[ \t]*```[ \t]*$|(?![\s\S]))/gm

/** Splits text at its fenced code blocks. A fence that is never closed, as in a truncated answer, extends to the end. */
export function splitCode(source: string): Piece[] {
  const pieces: Piece[] = []
  const addText = (text: string) => {
    const trimmed = text.replace(/^\n+|\n+$/g, '')
    if (trimmed !== '') pieces.push({ kind: 'text', text: trimmed, language: '' })
  }
  let end = 0
  for (const match of source.matchAll(FENCE)) {
    addText(source.slice(end, match.index))
    pieces.push({ kind: 'code', text: match[2] ?? '', language: match[1] ?? '' })
    end = match.index + match[0].length
  }
  addText(source.slice(end))
  return pieces
}
