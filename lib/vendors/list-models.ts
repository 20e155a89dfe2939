import { request } from 'undici'

const MAX_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 10_000

/** Asks a vendor of OpenAI's wire which models it has. Throws an error that says in words what went wrong. */
export async function listModels(baseUrl: string, secret: string | null): Promise<string[]> {
  const address = `${baseUrl.replace(/\/+$/, '')}/models`
  const answer = await request(address, {
    headers: { accept: 'application/json', ...(secret === null ? {} : { authorization: `Bearer ${secret}` }) },
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
    throw new Error('its list of models is not JSON; does the address end in /v1?')
  }
  const { data } = (list ?? {}) as { data?: unknown }
  if (!Array.isArray(data)) throw new Error("its list of models has another form than OpenAI's")
  return data
    .map((item: { id?: unknown }) => item?.id)
    .filter((id): id is string => typeof id === 'string' && id.length > 0 && id.length <= 200)
}
