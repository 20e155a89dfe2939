import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { VENDOR_KINDS } from '#lib/domain/vendor-kind-list'
import { sendJson, startFakeVendor } from '../fakes/vendor.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Runs a piece of a program in a process of its own that records each resolved package of the AI SDK. Returns what it prints. */
async function loadedBy(program: string): Promise<{ packages: string[]; kinds: number; rss: number }> {
  const watched = `
    import { registerHooks } from 'node:module'
    const seen = new Set()
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/(@ai-sdk\\/[^/]+)\\/dist\\/(?!.*\\/node_modules\\/)/.exec(url)?.[1]
        if (name) seen.add(name)
        return next(url, context)
      },
    })
    ${program}
    console.log(JSON.stringify({ packages: [...seen].sort(), kinds: globalThis.kinds ?? 0, rss: process.memoryUsage().rss }))
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', watched], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, errors] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const code = await new Promise((done) => child.once('close', done))
  expect(code, errors).toBe(0)
  return JSON.parse(out.trim().split('\n').at(-1) ?? '')
}

const connection = (kind: string, baseUrl: string): string =>
  JSON.stringify({
    id: kind,
    name: kind,
    kind,
    baseUrl,
    secret: 'key',
    headers: {},
    connectTimeoutMs: 1000,
    headersTimeoutMs: 5000,
    idleTimeoutMs: 5000,
  })

const REGISTRY = `
  const { VendorRegistry } = await import('./lib/vendors/registry.ts')
  const registry = new VendorRegistry()`

test('making a vendor of every kind loads no package', async () => {
  const all = VENDOR_KINDS.map(({ id }) => connection(id, 'http://127.0.0.1:9/v1')).join(', ')
  const { packages, kinds } = await loadedBy(`${REGISTRY}
    globalThis.kinds = [${all}].filter((one) => registry.get(one) !== null).length`)
  // The registry knows every kind of the list.
  expect(kinds).toBe(VENDOR_KINDS.length)
  expect(packages).toEqual([])
})

test('the whole gateway starts without one', async () => {
  const { packages, kinds } = await loadedBy(`
    const { runtime } = await import('./lib/runtime.ts')
    const { chatCompletions } = await import('./lib/wire/chat.ts')
    globalThis.kinds = [runtime, chatCompletions].length`)
  expect(kinds).toBe(2)
  expect(packages).toEqual([])
})

/** A call through the package of a bridged kind: a chat, or one of the wires for media. */
const CHAT = `
    const options = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }
    const answer = await vendor.bridge.run({ ...call, ask: { options, extras: {}, ignored: [] } })`
const forwardCall = (id: string, body: object): string => `
    const answer = await vendor.forward['${id}']({ ...call, body: ${JSON.stringify(body)}, form: null })`
const IMAGE = forwardCall('openai.images', { prompt: 'a cat' })
const SPEECH = forwardCall('openai.speech', { input: 'Hi', voice: 'v' })
const TRANSCRIPT = `
    const file = { type: 'audio/wav', bytes: 4, read: async function* () { yield Buffer.from('RIFF') } }
    const form = { parts: [{ name: 'file', file }] }
    const answer = await vendor.forward['openai.transcriptions']({ ...call, body: {}, form })`

/** Every bridged kind: a model, a call, and the packages that it loads, including those that two of them build on. */
const CALLS: Record<string, [model: string, call: string, packages: string[]]> = {
  anthropic: ['claude-sonnet-4-5', CHAT, ['anthropic']],
  google: ['gemini-2.5-flash', CHAT, ['google']],
  'google-vertex': ['gemini-2.5-flash', CHAT, ['google', 'google-vertex']],
  'amazon-bedrock': ['us.amazon.nova-2-lite-v1:0', CHAT, ['amazon-bedrock', 'anthropic']],
  mistral: ['mistral-large-latest', CHAT, ['mistral']],
  cohere: ['command-a-03-2025', CHAT, ['cohere']],
  fal: ['fal-ai/flux/dev', IMAGE, ['fal']],
  replicate: ['black-forest-labs/flux-schnell', IMAGE, ['replicate']],
  luma: ['photon-1', IMAGE, ['luma']],
  'black-forest-labs': ['flux-pro-1.1', IMAGE, ['black-forest-labs']],
  elevenlabs: ['eleven_v3', SPEECH, ['elevenlabs']],
  deepgram: ['aura-2-thalia-en', SPEECH, ['deepgram']],
  assemblyai: ['best', TRANSCRIPT, ['assemblyai']],
}

test('every bridged kind, and every package of a vendor, is among those whose loading is watched', () => {
  const bridged = VENDOR_KINDS.filter(({ reached }) => reached === 'bridged').map(({ id }) => id)
  expect(Object.keys(CALLS).sort()).toEqual(bridged.sort())
  const { dependencies } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as { dependencies: object }
  const packages = Object.keys(dependencies).filter((name) => name.startsWith('@ai-sdk/') && name !== '@ai-sdk/provider')
  const watched = new Set(Object.values(CALLS).flatMap(([, , names]) => names.map((name) => `@ai-sdk/${name}`)))
  for (const name of packages) expect([...watched]).toContain(name)
})

test.each(Object.entries(CALLS))(
  'a call of %s loads its own package, and what that is made of',
  async (kind, [model, call, own]) => {
    await using vendor = await startFakeVendor()
    vendor.answer((vendorCall) => sendJson(vendorCall, { message: 'no' }, 400))
    const { packages, kinds } = await loadedBy(`${REGISTRY}
    const connection = ${connection(kind, new URL(vendor.url).origin)}
    const deployment = { id: 'd', upstreamModel: '${model}', weight: 1, priority: 1, connection }
    const call = { deployment, connection, stream: false, cap: 100, choices: 1, signal: new AbortController().signal, onSent: () => undefined }
    const vendor = registry.get(connection)
    ${call}
    globalThis.kinds = answer.status`)
    expect(kinds).toBe(400)
    expect(vendor.calls).toHaveLength(1)
    const sharedPackages = ['@ai-sdk/provider', '@ai-sdk/provider-utils']
    expect(packages.filter((name) => !sharedPackages.includes(name))).toEqual(own.map((name) => `@ai-sdk/${name}`))
  },
)

test('memory with one vendor is what that vendor needs, however many kinds there are', async () => {
  const one = await loadedBy(`${REGISTRY}
    registry.get(${connection('openai', 'http://127.0.0.1:9/v1')})`)
  const all = VENDOR_KINDS.map(({ id }) => connection(id, 'http://127.0.0.1:9/v1')).join(', ')
  const many = await loadedBy(`${REGISTRY}
    for (const one of [${all}]) registry.get(one)`)
  // A package takes 25 MB, so a loaded one would show.
  expect(many.rss - one.rss).toBeLessThan(20 * 1024 * 1024)
})
