import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { API } from '#lib/wire/api'
import { describeApi } from '#lib/wire/openapi'
import { type RawAnswer, type RawRequest, sendRaw } from '../support/raw-client.ts'

interface DocumentedResponse {
  headers: Record<string, unknown>
  content: Record<string, unknown>
  'x-codes'?: string[]
}
type Paths = Record<string, Record<string, { responses: Record<string, DocumentedResponse> } | undefined> | undefined>

/** The document as it is served, without values that JSON cannot represent. */
const document = JSON.parse(JSON.stringify(describeApi('https://gateway.test'))) as { paths: Paths }
const ajv = new Ajv2020({ strict: false, formats: { binary: true } })
ajv.addSchema(document, 'doc')

/** Addresses as regular expressions. Only ids of models contain slashes. */
const ROUTES = API.map(({ path, endpoint }) => ({
  path,
  method: endpoint.method,
  form: new RegExp(`^${path.replace(/\{\w+\}/, path.startsWith('/v1/models/') ? '.+' : '[^/]+')}(\\?|$)`),
}))

/** Headers that HTTP allows on any answer. */
const PLAIN = new Set(['x-content-type-options', 'x-accel-buffering'])

const jsonPointer = (...steps: string[]): string =>
  steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The data of every event of a stream that is JSON. */
const eventsOf = (text: string): unknown[] =>
  text
    .split(/(?:\r\n|\n|\r){2}/)
    .map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n'))
    .filter((data) => data.startsWith('{'))
    .map((data) => JSON.parse(data) as unknown)

/** Lists how an answer contradicts the API's document for its address. */
function problemsOf(path: string, method: string, answer: RawAnswer): string[] {
  const described = document.paths[path]?.[method.toLowerCase()]?.responses[answer.status]
  if (!described) return [`the status ${answer.status} is not documented`]
  const headers = [...answer.headers.keys()].filter((name) => /^(x-|retry-after)/.test(name) && !PLAIN.has(name))
  const problems = headers.filter((name) => !(name in described.headers)).map((name) => `the header ${name} is not documented`)
  const type = answer.header('content-type')?.split(';', 1)[0]?.trim() ?? ''
  if (!(type in described.content)) return [...problems, `the type ${type} is not documented`]
  if (type !== 'application/json' && type !== 'text/event-stream') return problems
  const at = jsonPointer('paths', path, method.toLowerCase(), 'responses', String(answer.status), 'content', type, 'schema')
  const check = ajv.getSchema(`doc#${at}`) as ValidateFunction
  const bodies = type === 'application/json' ? [answer.json()] : eventsOf(answer.body.toString())
  for (const body of bodies) {
    const { error, model } = body as { error?: unknown; model?: unknown }
    // A stream that fails reports the error in the general error format.
    if (type === 'text/event-stream' && error !== undefined) continue
    // Recorded answers of vendors are passed on unchanged, without the fields of OpenAI's format that they omit.
    if (String(model).startsWith('kinds/')) continue
    if (!check(body)) problems.push(`${ajv.errorsText(check.errors)}: ${JSON.stringify(body).slice(0, 300)}`)
  }
  const { 'x-codes': codes } = described
  if (codes && !codes.includes(answer.error().code)) problems.push(`the code ${answer.error().code} is not documented`)
  return problems
}

/** Sends a request. Throws if the API's document has no such answer for its address. */
export async function sendDocumented(url: string, request: RawRequest | Buffer): Promise<RawAnswer> {
  const answer = await sendRaw(url, request)
  // What Node's own parser refuses has no body and never reaches the API.
  if (Buffer.isBuffer(request) || (answer.status === 400 && answer.body.length === 0)) return answer
  const { method = 'POST', path = '/v1/chat/completions' } = request
  const found = ROUTES.find((address) => address.method === method && address.form.test(path))
  if (found) expect(problemsOf(found.path, found.method, answer), `${method} ${path}`).toEqual([])
  return answer
}
