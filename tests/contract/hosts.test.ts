import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BUILD_TIMEOUT_MS } from '../support/ensure-console-built.ts'
import { documentRequired, loadOpenAiDocument, OPENAI_DOCUMENT } from '../support/openai-document.ts'
import { aiSdk } from './ai-sdk.ts'
import { aiSdkResponses } from './ai-sdk-responses.ts'
import { bridge } from './bridge.ts'
import { files } from './files.ts'
import { langChain } from './langchain.ts'
import { openAiAborts } from './openai-aborts.ts'
import { openAiAudio } from './openai-audio.ts'
import { openAiChat } from './openai-chat.ts'
import { openAiCompletions } from './openai-completions.ts'
import { openAiEmbeddings } from './openai-embeddings.ts'
import { openAiErrors } from './openai-errors.ts'
import { openAiImages } from './openai-images.ts'
import { openAiResponses } from './openai-responses.ts'
import { openAiStreams } from './openai-streams.ts'
import { openAiTools } from './openai-tools.ts'
import { upstreams } from './upstreams.ts'
import { webPages } from './web-pages.ts'
import { HOSTS, Host, openWorld, type World } from './world.ts'

const SUITES: Record<string, ((host: Host) => void)[]> = {
  'openai SDK': [
    openAiChat,
    openAiStreams,
    openAiAborts,
    openAiTools,
    openAiErrors,
    openAiResponses,
    openAiCompletions,
    openAiEmbeddings,
  ],
  'openai SDK, sounds': [openAiAudio],
  'openai SDK, images': [openAiImages],
  'AI SDK': [aiSdk, aiSdkResponses],
  LangChain: [langChain],
  upstreams: [upstreams],
  bridge: [bridge],
  files: [files],
  'web pages': [webPages],
}

const hosts = HOSTS.map((name) => new Host(name))
const document = loadOpenAiDocument()
/** The names of the tests that ran, by host and suite. */
const testsByHost = new Map(
  hosts.map((host) => [host.name, new Map(Object.keys(SUITES).map((suite) => [suite, [] as string[]]))]),
)
let world: World | undefined

beforeAll(async () => {
  world = await openWorld(hosts)
}, BUILD_TIMEOUT_MS)

afterAll(async () => {
  await world?.close()
})

// The hosts run in parallel. On each host the tests run in order.
describe.concurrent.each(hosts)('$name', (host) => {
  beforeEach(() => host.recorder.clear())
  afterEach(() => {
    if (document) expect(host.recorder.findProblems(document)).toEqual([])
  })

  for (const [name, parts] of Object.entries(SUITES)) {
    describe(name, { concurrent: false }, () => {
      afterEach(({ task }) => void testsByHost.get(host.name)?.get(name)?.push(task.name))
      for (const part of parts) part(host)
    })
  }

  if (document || documentRequired)
    test('everything that was answered is valid by the OpenAI document', { concurrent: false }, () => {
      expect(document, `${OPENAI_DOCUMENT} is absent`).not.toBeNull()
      for (const count of Object.values(host.recorder.validated)) expect(count).toBeGreaterThan(1)
      process.stdout.write(`contract: ${host.name} validated ${JSON.stringify(host.recorder.validated)}\n`)
    })
  else test.skip('SKIPPED, nothing was validated: ../shared/reference/openai-openapi.json is absent', () => {})
})

test('both hosts ran the same tests', () => {
  const counts = hosts.map((host) => {
    const suites = [...(testsByHost.get(host.name) ?? [])].map(([suite, tests]) => `${suite} ${tests.length}`)
    const total = [...(testsByHost.get(host.name) ?? [])].reduce((sum, [, tests]) => sum + tests.length, 0)
    return `${host.name} ${total} (${suites.join(', ')})`
  })
  process.stdout.write(`contract: tests per host: ${counts.join('; ')}\n`)
  const [lane, next] = HOSTS.map((name) => testsByHost.get(name))
  expect(next).toEqual(lane)
  for (const tests of lane?.values() ?? []) expect(tests.length).toBeGreaterThan(0)
})
