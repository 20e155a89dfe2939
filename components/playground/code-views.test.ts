import { execFileSync, spawnSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { JsonRecord } from '../history/json.ts'
import { codeViews, pythonLiteral, type SentCall, scriptLiteral } from './code-views.ts'

const BASE = 'http://localhost:3000/v1'
const body: JsonRecord = {
  model: 'house/large',
  messages: [
    { role: 'system', content: 'It\'s "quoted" \\ and\nbroken; $(echo no) `no`' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Größe? 猫' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    },
  ],
  temperature: 0.5,
  stop: ['a', 'b'],
  tools: [
    {
      type: 'function',
      function: {
        name: 'f',
        parameters: { type: 'object', properties: { 'odd-name': { type: 'string' } }, additionalProperties: false },
      },
    },
  ],
  seed: null,
  stream: true,
}
const codeOf = (name: string, call: SentCall): string => codeViews(BASE, call).find((each) => each.name === name)?.code ?? ''

describe('code of a call', () => {
  it('has the very body for the shell', () => {
    const code = codeOf('curl', { path: '/chat/completions', body })
    // The shell itself prints the arguments that curl would get.
    const said = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${code}`], { encoding: 'utf8' }).split('\0')
    expect(said[0]).toBe(`${BASE}/chat/completions`)
    expect(JSON.parse(said[said.indexOf('-d') + 1] ?? '')).toEqual(body)
    expect(code).toContain('$TOLLGATE_KEY')
  })

  it('has the very body in JavaScript', () => {
    const code = codeOf('JavaScript', { path: '/chat/completions', body })
    const [, given] = /chat\.completions\.create\((\{[\s\S]*\n\})\)\nfor await/.exec(code) ?? []
    expect(runInNewContext(`JSON.stringify((${given}))`)).toBe(JSON.stringify(body))
  })

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)('has the very body in Python', () => {
    const code = codeOf('Python', { path: '/chat/completions', body })
    const [, given] = /chat\.completions\.create\(\n([\s\S]*)\n\)\nfor event/.exec(code) ?? []
    const said = execFileSync('python3', ['-c', `import json\nprint(json.dumps(dict(\n${given}\n)))`], { encoding: 'utf8' })
    expect(JSON.parse(said)).toEqual(body)
  })

  it('names uploads, one or several, as each language takes them', () => {
    const call: SentCall = {
      path: '/images/edits',
      body: { model: 'm', prompt: 'A hat' },
      files: [
        ['image[]', 'a.png'],
        ['image[]', 'b.png'],
        ['mask', 'm.png'],
      ],
    }
    expect(codeOf('curl', call)).toContain(`-F 'image[]=@"a.png"'`)
    expect(codeOf('Python', call)).toContain('image=[open("a.png", "rb"), open("b.png", "rb")],')
    expect(codeOf('JavaScript', call)).toContain('mask: fs.createReadStream("m.png"),')
  })

  it('writes sound into a file of its format, and follows a video to its end', () => {
    const speech: SentCall = { path: '/audio/speech', body: { model: 'm', input: 'x', voice: 'v', response_format: 'wav' } }
    for (const { code } of codeViews(BASE, speech)) expect(code).toContain('speech.wav')
    const video: SentCall = { path: '/videos/generations', body: { model: 'm', prompt: 'x', duration: 5, async: true } }
    expect(codeOf('Python', video)).toContain('"async": True')
    expect(codeOf('JavaScript', video)).toContain('async: true')
  })
})

describe('literals', () => {
  it.each([
    [null, 'None', 'null'],
    [true, 'True', 'true'],
    [[], '[]', '[]'],
    [{}, '{}', '{}'],
    [{ a: [1, 'x'] }, '{"a": [1, "x"]}', '{ a: [1, "x"] }'],
  ])('%j', (value, python, script) => {
    expect(pythonLiteral(value)).toBe(python)
    expect(scriptLiteral(value)).toBe(script)
  })
})
