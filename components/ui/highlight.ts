/** A stretch of code in one color. */
export interface CodeToken {
  kind: 'plain' | 'string' | 'comment' | 'word'
  text: string
}

const KEYWORDS =
  'import|from|export|const|let|await|async|for|of|in|if|else|return|new|try|catch|throw|func|package|var|range|defer|def|with|as|not|except|class|print|while|break|true|false|null|nil|None|True|False|curl|POST|GET'

const TOKEN_PATTERN = new RegExp(
  String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|` +
    '`[^`]*`' +
    String.raw`)|(?<comment>(?<=^|\s)(?:#|//).*)|(?<word>\b(?:${KEYWORDS})\b)`,
  'gm',
)

/**
 * Splits code into strings, comments and keywords. One rule covers all languages of the examples: good enough to read, and the
 * text itself is never changed.
 */
export function highlight(code: string): CodeToken[] {
  const tokens: CodeToken[] = []
  let position = 0
  for (const match of code.matchAll(TOKEN_PATTERN)) {
    if (match.index > position) tokens.push({ kind: 'plain', text: code.slice(position, match.index) })
    const { string, comment } = match.groups ?? {}
    const kind = string !== undefined ? 'string' : comment !== undefined ? 'comment' : 'word'
    tokens.push({ kind, text: match[0] })
    position = match.index + match[0].length
  }
  if (position < code.length) tokens.push({ kind: 'plain', text: code.slice(position) })
  return tokens
}
