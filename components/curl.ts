/** Puts text into a POSIX shell as one word, whatever is in it. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** What an answer that is no text is written into. */
interface Written {
  output?: string
}

interface Call extends Written {
  url: string
  /** Left out: the shell's own variable TOLLGATE_KEY. */
  secret?: string
  body: unknown
}

/** A call of the gateway's API that works when it is pasted into a shell. */
export function curl({ url, secret, body, output }: Call): string {
  return [
    `curl ${url}`,
    `-H ${bearer(secret)}`,
    `-H "Content-Type: application/json"`,
    `-d ${shellQuote(JSON.stringify(body))}`,
    ...(output === undefined ? [] : [`-o ${shellQuote(output)}`]),
  ].join(' \\\n  ')
}

const bearer = (secret?: string): string => `"Authorization: Bearer ${secret ?? '$TOLLGATE_KEY'}"`

/** A call that sends a form: its texts, and files that lie where the shell is. Lists are repeated. */
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
    // What a form's text begins with means nothing here: -F would read "@" and "<" as files.
    ...texts.map(([name, value]) => `--form-string ${shellQuote(`${name}=${String(value)}`)}`),
  ].join(' \\\n  ')
}

const NOT_CHAT =
  /embed|image|imagen|dall-e|flux|tts|speech|whisper|transcri|audio|realtime|video|sora|veo|rerank|moderation|davinci|babbage|instruct|error/i
/** A simulation: the right choice only while there is nothing else. */
const SANDBOX = /^sandbox\//

/** A model of the list that can most likely hold a conversation, for examples; undefined for an empty list. */
export const pickChatModel = (models: readonly string[]): string | undefined =>
  models.find((model) => !NOT_CHAT.test(model) && !SANDBOX.test(model)) ??
  models.find((model) => !NOT_CHAT.test(model)) ??
  models[0]

/** The example that every page shows: one short question to one model. */
export function exampleCurl(baseUrl: string, model: string, greeting: string, secret?: string): string {
  return curl({
    url: `${baseUrl}/chat/completions`,
    body: { model, messages: [{ role: 'user', content: greeting }] },
    ...(secret === undefined ? {} : { secret }),
  })
}
