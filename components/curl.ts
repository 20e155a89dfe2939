/** Puts text into a POSIX shell as one word, whatever is in it. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

interface Call {
  url: string
  /** Left out: the shell's own variable TOLLGATE_KEY. */
  secret?: string
  body: unknown
}

/** A call of the gateway's API that works when it is pasted into a shell. */
export function curl({ url, secret, body }: Call): string {
  const bearer = `"Authorization: Bearer ${secret ?? '$TOLLGATE_KEY'}"`
  return [
    `curl ${url} \\`,
    `  -H ${bearer} \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${shellQuote(JSON.stringify(body))}`,
  ].join('\n')
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
