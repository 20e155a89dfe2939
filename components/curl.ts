/** Quotes text as a single word of a POSIX shell, whatever it contains. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The file that a response that is not text is written to. */
interface OutputOption {
  output?: string
}

interface CurlOptions extends OutputOption {
  url: string
  /** By default, the shell variable TOLLGATE_KEY. */
  secret?: string
  body: unknown
}

/** A call of the gateway's API as a curl command that can be pasted into a shell. */
export function curl({ url, secret, body, output }: CurlOptions): string {
  return [
    `curl ${url}`,
    `-H ${bearer(secret)}`,
    `-H "Content-Type: application/json"`,
    `-d ${shellQuote(JSON.stringify(body))}`,
    ...(output === undefined ? [] : [`-o ${shellQuote(output)}`]),
  ].join(' \\\n  ')
}

const bearer = (secret?: string): string => `"Authorization: Bearer ${secret ?? '$TOLLGATE_KEY'}"`

/** A call that sends a form: text fields, and files from the shell's current folder. Lists are repeated fields. */
export function formCurl(
  url: string,
  fields: Readonly<Record<string, unknown>>,
  files: readonly (readonly [name: string, file: string])[],
): string {
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((item) => [`${name}[]`, item] as const) : [[name, value] as const],
  )
  return [
    `curl ${url}`,
    `-H ${bearer()}`,
    ...files.map(([name, file]) => `-F ${shellQuote(`${name}=@"${file.replace(/["\\]/g, '\\$&')}"`)}`),
    // With --form-string, the first character of a text has no meaning. -F would read "@" and "<" as files.
    ...texts.map(([name, value]) => `--form-string ${shellQuote(`${name}=${String(value)}`)}`),
  ].join(' \\\n  ')
}

const NON_CHAT_PATTERN =
  /embed|image|imagen|dall-e|flux|tts|speech|whisper|transcri|audio|realtime|video|sora|veo|rerank|moderation|davinci|babbage|instruct|error/i
/** The sandbox vendor, a simulation: used only if there is nothing else. */
const SANDBOX_PATTERN = /^sandbox\//

/** For examples: the first model of the list that can probably hold a conversation; undefined if the list is empty. */
export const pickChatModel = (models: readonly string[]): string | undefined =>
  models.find((model) => !NON_CHAT_PATTERN.test(model) && !SANDBOX_PATTERN.test(model)) ??
  models.find((model) => !NON_CHAT_PATTERN.test(model)) ??
  models[0]

/** The example that every page shows: a short question to one model. */
export function exampleCurl(baseUrl: string, model: string, greeting: string, secret?: string): string {
  return curl({
    url: `${baseUrl}/chat/completions`,
    body: { model, messages: [{ role: 'user', content: greeting }] },
    ...(secret === undefined ? {} : { secret }),
  })
}
