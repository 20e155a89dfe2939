import { curl, formCurl } from '../curl.ts'
import type { Json, JsonRecord } from '../history/json.ts'
import { asText } from '../history/json.ts'
import { literal, type Sample } from '../site/samples.ts'

/** A call as it was sent. */
export interface SentCall {
  /** The path after `/v1`. */
  path:
    | '/chat/completions'
    | '/images/generations'
    | '/images/edits'
    | '/audio/speech'
    | '/audio/transcriptions'
    | '/videos/generations'
  body: JsonRecord
  /** The uploads of a form, by field. */
  files?: readonly (readonly [field: string, name: string])[]
}

const indented = (lines: string[], indent: string): string => lines.map((line) => `${indent}${line}`).join('\n')

/** Writes a value as Python. Long lists and objects have one line for each member. */
export function pythonLiteral(value: Json, indent = ''): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return literal(value)
  if (typeof value === 'number') return String(value)
  const inner = `${indent}    `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const members = Array.isArray(value)
    ? value.map((each) => pythonLiteral(each, inner))
    : Object.entries(value).map(([name, each]) => `${literal(name)}: ${pythonLiteral(each, inner)}`)
  const line = `${open}${members.join(', ')}${close}`
  if (line.length + indent.length <= 88 && !line.includes('\n')) return line
  return `${open}\n${indented(
    members.map((each) => `${each},`),
    inner,
  )}\n${indent}${close}`
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Writes a value as JavaScript: JSON with unquoted names if possible. */
export function scriptLiteral(value: Json, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const members = Array.isArray(value)
    ? value.map((each) => scriptLiteral(each, inner))
    : Object.entries(value).map(
        ([name, each]) => `${IDENTIFIER.test(name) ? name : literal(name)}: ${scriptLiteral(each, inner)}`,
      )
  const space = Array.isArray(value) || members.length === 0 ? '' : ' '
  const line = `${open}${space}${members.join(', ')}${space}${close}`
  if (line.length + indent.length <= 88 && !line.includes('\n')) return line
  return `${open}\n${indented(
    members.map((each) => `${each},`),
    inner,
  )}\n${indent}${close}`
}

/** The OpenAI SDK method for a path, and what to do with its result. There is no method that fits videos. */
const METHODS: Partial<Record<SentCall['path'], { method: string; python: string; script: string }>> = {
  '/images/generations': {
    method: 'images.generate',
    python: 'for image in answer.data:\n    print(image.url or image.b64_json[:80])',
    script: 'for (const image of answer.data ?? []) console.log(image.url ?? image.b64_json?.slice(0, 80))',
  },
  '/images/edits': {
    method: 'images.edit',
    python: 'for image in answer.data:\n    print(image.url or image.b64_json[:80])',
    script: 'for (const image of answer.data ?? []) console.log(image.url ?? image.b64_json?.slice(0, 80))',
  },
  '/chat/completions': {
    method: 'chat.completions.create',
    python: 'print(answer.choices[0].message)',
    script: 'console.log(answer.choices[0]?.message)',
  },
  '/audio/speech': {
    method: 'audio.speech.create',
    python: 'answer.write_to_file("speech.FORMAT")',
    script: "await fs.promises.writeFile('speech.FORMAT', Buffer.from(await answer.arrayBuffer()))",
  },
  '/audio/transcriptions': { method: 'audio.transcriptions.create', python: 'print(answer)', script: 'console.log(answer)' },
}

const PYTHON_EVENTS = 'for event in answer:\n    print(event)'
const SCRIPT_EVENTS = 'for await (const event of answer) console.log(event)'

/** Groups files by field. Several files in one field become a list. */
function byField(files: SentCall['files'] = []): [string, string[]][] {
  const fields = Map.groupBy(files, ([field]) => field.replace('[]', ''))
  return [...fields].map(([field, named]) => [field, named.map(([, name]) => name)])
}

const formatOf = (body: JsonRecord): string => asText(body.response_format) ?? 'mp3'

function python(baseUrl: string, { path, body, files }: SentCall): string {
  const known = METHODS[path]
  if (!known) return pythonTask(baseUrl, path, body)
  const fileArguments = byField(files).map(([field, names]) => {
    const each = names.map((name) => `open(${literal(name)}, "rb")`)
    return `    ${field}=${each.length > 1 ? `[${each.join(', ')}]` : each[0]},`
  })
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${pythonLiteral(value, '    ')},`)
  const resultCode = body.stream === true ? PYTHON_EVENTS : known.python.replace('FORMAT', formatOf(body))
  return `import os
from openai import OpenAI

client = OpenAI(base_url=${literal(baseUrl)}, api_key=os.environ["TOLLGATE_KEY"])
answer = client.${known.method}(
${[...fileArguments, ...fields].join('\n')}
)
${resultCode}`
}

const pythonTask = (baseUrl: string, path: string, body: JsonRecord): string => `import json, os, time, urllib.request

def call(path, body=None):
    request = urllib.request.Request(
        ${literal(baseUrl)} + path,
        data=json.dumps(body).encode() if body else None,
        headers={"Authorization": "Bearer " + os.environ["TOLLGATE_KEY"], "Content-Type": "application/json"},
    )
    return json.load(urllib.request.urlopen(request))

task = call(${literal(path)}, ${pythonLiteral(body)})
while task["status"] in ("pending", "processing"):
    time.sleep(5)
    task = call(${literal(path)} + "/" + task["id"])
print(task.get("video_url") or task.get("error"))`

function script(baseUrl: string, { path, body, files }: SentCall): string {
  const known = METHODS[path]
  if (!known) return scriptTask(baseUrl, path, body)
  const fileArguments = byField(files).map(([field, names]) => {
    const each = names.map((name) => `fs.createReadStream(${literal(name)})`)
    return `  ${field}: ${each.length > 1 ? `[${each.join(', ')}]` : each[0]},`
  })
  const fields = Object.entries(body).map(([name, value]) => `  ${name}: ${scriptLiteral(value, '  ')},`)
  const resultCode = body.stream === true ? SCRIPT_EVENTS : known.script.replace('FORMAT', formatOf(body))
  return `${fileArguments.length > 0 || resultCode.includes('fs.') ? "import fs from 'node:fs'\n" : ''}import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${literal(baseUrl)}, apiKey: process.env.TOLLGATE_KEY })
const answer = await client.${known.method}({
${[...fileArguments, ...fields].join('\n')}
})
${resultCode}`
}

const scriptTask = (
  baseUrl: string,
  path: string,
  body: JsonRecord,
): string => `const headers = { authorization: \`Bearer \${process.env.TOLLGATE_KEY}\`, 'content-type': 'application/json' }
const videos = ${literal(baseUrl + path)}

const body = JSON.stringify(${scriptLiteral(body)})
let task = await (await fetch(videos, { method: 'POST', headers, body })).json()
while (task.status === 'pending' || task.status === 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 5000))
  task = await (await fetch(\`\${videos}/\${task.id}\`, { headers })).json()
}
console.log(task.video_url ?? task.error)`

function shell(baseUrl: string, { path, body, files = [] }: SentCall): string {
  const url = `${baseUrl}${path}`
  if (files.length > 0) return formCurl(url, body, files)
  return curl({ url, body, ...(path === '/audio/speech' ? { output: `speech.${formatOf(body)}` } : {}) })
}

/** A call for the shell, Python and JavaScript, with exactly the body that was sent. The key is the reader's own. */
export const codeViews = (baseUrl: string, call: SentCall): Sample[] => [
  { name: 'curl', code: shell(baseUrl, call) },
  { name: 'Python', code: python(baseUrl, call) },
  { name: 'JavaScript', code: script(baseUrl, call) },
]
