import { request } from 'undici'

const MAX_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 10_000

/** How a kind of vendor is asked for its models. */
interface Question {
  /** Where its list goes on, behind its base URL. One page of it has to be enough. */
  path: string
  headers(secret: string): Record<string, string>
  /** The names in its answer; null where that has another form. */
  names(list: unknown): unknown[] | null
}

const items = (list: unknown, field: string): Record<string, unknown>[] | null => {
  const found = ((list ?? {}) as Record<string, unknown>)[field]
  return Array.isArray(found) ? found.map((item) => (item ?? {}) as Record<string, unknown>) : null
}

const OPENAI: Question = {
  path: '/models',
  headers: (secret) => ({ authorization: `Bearer ${secret}` }),
  names: (list) => items(list, 'data')?.map(({ id }) => id) ?? null,
}

/** By kind of connection. */
const QUESTIONS: Record<string, Question> = {
  anthropic: {
    path: '/models?limit=1000',
    headers: (secret) => ({ 'x-api-key': secret, 'anthropic-version': '2023-06-01' }),
    names: (list) => items(list, 'data')?.map(({ id }) => id) ?? null,
  },
  google: {
    path: '/models?pageSize=1000',
    headers: (secret) => ({ 'x-goog-api-key': secret }),
    names: (list) => items(list, 'models')?.map(({ name }) => String(name).replace(/^models\//, '')) ?? null,
  },
}

/** Asks a vendor which models it has. Throws an error that says in words what went wrong. */
export async function listModels(baseUrl: string, secret: string | null, kind = 'openai'): Promise<string[]> {
  const question = QUESTIONS[kind] ?? OPENAI
  const address = `${baseUrl.replace(/\/+$/, '')}${question.path}`
  const answer = await request(address, {
    headers: { accept: 'application/json', ...(secret === null ? {} : question.headers(secret)) },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new Error(`it cannot be reached (${String((error as { code?: unknown }).code ?? 'no answer')})`)
  })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer.body) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_BYTES) throw new Error('its list of models is too long')
    chunks.push(chunk as Buffer)
  }
  if (answer.statusCode === 401 || answer.statusCode === 403) throw new Error('it does not accept the API key')
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode} when asked for its models`)
  let list: unknown
  try {
    list = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new Error('its list of models is not JSON; does the address end in its version, such as /v1?')
  }
  const names = question.names(list)
  if (names === null) throw new Error("its list of models has another form than OpenAI's")
  return names.filter((name): name is string => typeof name === 'string' && name.length > 0 && name.length <= 200)
}
