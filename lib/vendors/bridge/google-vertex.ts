import type { LanguageAsk } from '../../domain/language.ts'
import { parseSecrets } from '../../domain/vendor-kinds.ts'
import type { AdaptedAsk, Dialect } from './dialect.ts'
import { google } from './google.ts'
import { googleToken, isServiceAccount } from './google-token.ts'

/** Gemini on Google Cloud, through `@ai-sdk/google-vertex`: the same wire as Gemini's own API, with other credentials. */
export const googleVertex: Dialect = {
  ...google,
  async load() {
    // The edge version does not load Google's own libraries, which would find credentials that nobody has configured.
    const { createVertex } = await import('@ai-sdk/google-vertex/edge')
    return ({ baseUrl, headers, fetch }, model) =>
      createVertex({ baseURL: baseUrl, apiKey: 'put-on-at-the-gate', headers, fetch })(model)
  },
  skills: (upstreamModel) => ({
    ...google.skills(upstreamModel),
    vendor: 'googleVertex',
    // Neither of the two accepts what the other one signed.
    thoughts: { format: 'google-vertex-v1', signature: 'thoughtSignature', hidden: null },
  }),
  version: '',

  async authorize({ headers }, { secret }, agent) {
    const { 'x-goog-api-key': _, authorization: _old, ...plain } = headers
    const credential = parseSecrets(secret).serviceAccount ?? secret ?? ''
    if (!isServiceAccount(credential)) return { ...plain, 'x-goog-api-key': credential }
    return { ...plain, authorization: `Bearer ${await googleToken(credential, agent)}` }
  },

  adapt(ask: LanguageAsk, upstreamModel: string): AdaptedAsk {
    const { options, ignored } = google.adapt(ask, upstreamModel)
    const { google: own = {} } = options.providerOptions ?? {}
    return { options: { ...options, providerOptions: { googleVertex: own } }, ignored }
  },
}
