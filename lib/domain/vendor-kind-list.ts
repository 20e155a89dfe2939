import type { CredentialField, VendorKind, VendorModality } from './vendor-kinds.ts'

const apiKey = (placeholder?: string, required = true): CredentialField => ({
  name: 'apiKey',
  required,
  secret: true,
  ...(placeholder === undefined ? {} : { placeholder }),
})

const baseUrl = (placeholder: string, required = false): CredentialField => ({
  name: 'baseUrl',
  required,
  secret: false,
  placeholder,
})

/** A vendor that wants a key and has an address that everybody uses. */
function keyed(
  id: string,
  label: string,
  reached: VendorKind['reached'],
  address: string,
  modalities: readonly VendorModality[],
  { placeholder, listsModels = reached === 'forwarded' }: { placeholder?: string; listsModels?: boolean } = {},
): VendorKind {
  return { id, label, modalities, reached, baseUrl: address, fields: [apiKey(placeholder), baseUrl(address)], listsModels }
}

/** A server of one's own: it has an address, and perhaps a key. */
const served = (id: string, label: string, address: string | null, modalities: readonly VendorModality[]): VendorKind => ({
  id,
  label,
  modalities,
  reached: 'forwarded',
  baseUrl: address,
  fields: [baseUrl(address ?? 'https://models.example/v1', address === null), apiKey(undefined, false)],
  listsModels: true,
})

const ALL: readonly VendorModality[] = ['chat', 'completion', 'embedding', 'image', 'speech', 'transcription']

const azure: VendorKind = {
  id: 'azure',
  label: 'Azure OpenAI',
  modalities: ALL,
  reached: 'forwarded',
  baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
  fields: [
    { name: 'resource', required: true, secret: false, placeholder: 'my-resource', pattern: /^[a-z0-9][a-z0-9-]{0,62}$/i },
    apiKey(),
    baseUrl('https://my-resource.openai.azure.com/openai?api-version=2024-10-21'),
  ],
  // Its list is of models, but requests name deployments.
  listsModels: false,
}

const vertex: VendorKind = {
  id: 'google-vertex',
  label: 'Google Vertex AI',
  modalities: ['chat'],
  reached: 'bridged',
  baseUrl: 'https://aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/google',
  fields: [
    { name: 'project', required: true, secret: false, placeholder: 'my-project-123', pattern: /^[a-z0-9:.-]{4,80}$/ },
    { name: 'location', required: true, secret: false, fallback: 'global', placeholder: 'global', pattern: /^[a-z0-9-]{2,40}$/ },
    { name: 'serviceAccount', required: true, secret: true, lines: true, placeholder: '{"type":"service_account",...}' },
    baseUrl('https://europe-west4-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/google'),
  ],
  listsModels: false,
}

const bedrock: VendorKind = {
  id: 'amazon-bedrock',
  label: 'Amazon Bedrock',
  modalities: ['chat'],
  reached: 'bridged',
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  fields: [
    { name: 'region', required: true, secret: false, placeholder: 'us-east-1', pattern: /^[a-z]{2}(-[a-z0-9]+)+-\d$/ },
    { ...apiKey('ABSK...'), required: false },
    { name: 'accessKeyId', required: false, secret: true, placeholder: 'AKIA...' },
    { name: 'secretAccessKey', required: false, secret: true },
    { name: 'sessionToken', required: false, secret: true },
    baseUrl('https://bedrock-runtime.{region}.amazonaws.com'),
  ],
  anyOf: [['apiKey'], ['accessKeyId', 'secretAccessKey']],
  listsModels: false,
}

/** Every kind of connection, in the order in which people are shown them. `lib/vendors/registry.ts` has what each is made of. */
export const VENDOR_KINDS: readonly VendorKind[] = [
  keyed('openai', 'OpenAI', 'forwarded', 'https://api.openai.com/v1', ALL, { placeholder: 'sk-...' }),
  azure,
  keyed('anthropic', 'Anthropic', 'bridged', 'https://api.anthropic.com/v1', ['chat'], {
    placeholder: 'sk-ant-...',
    listsModels: true,
  }),
  keyed(
    'google',
    'Google Gemini',
    'bridged',
    'https://generativelanguage.googleapis.com/v1beta',
    ['chat', 'embedding', 'image', 'video'],
    {
      listsModels: true,
    },
  ),
  vertex,
  bedrock,
  keyed('mistral', 'Mistral', 'bridged', 'https://api.mistral.ai/v1', ['chat', 'embedding'], { listsModels: true }),
  keyed('cohere', 'Cohere', 'bridged', 'https://api.cohere.com/v2', ['chat', 'embedding']),
  keyed('xai', 'xAI', 'forwarded', 'https://api.x.ai/v1', ['chat'], { placeholder: 'xai-...' }),
  keyed('deepseek', 'DeepSeek', 'forwarded', 'https://api.deepseek.com/v1', ['chat'], { placeholder: 'sk-...' }),
  keyed('groq', 'Groq', 'forwarded', 'https://api.groq.com/openai/v1', ['chat', 'speech', 'transcription'], {
    placeholder: 'gsk_...',
  }),
  keyed('together', 'Together AI', 'forwarded', 'https://api.together.xyz/v1', ['chat', 'completion', 'embedding']),
  keyed('fireworks', 'Fireworks AI', 'forwarded', 'https://api.fireworks.ai/inference/v1', ['chat', 'completion', 'embedding'], {
    placeholder: 'fw_...',
  }),
  keyed('perplexity', 'Perplexity', 'forwarded', 'https://api.perplexity.ai', ['chat'], {
    placeholder: 'pplx-...',
    listsModels: false,
  }),
  keyed('cerebras', 'Cerebras', 'forwarded', 'https://api.cerebras.ai/v1', ['chat', 'completion'], { placeholder: 'csk-...' }),
  keyed('deepinfra', 'DeepInfra', 'forwarded', 'https://api.deepinfra.com/v1/openai', [
    'chat',
    'completion',
    'embedding',
    'speech',
    'transcription',
  ]),
  keyed(
    'alibaba',
    'Alibaba (Qwen)',
    'forwarded',
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    ['chat', 'embedding'],
    {
      placeholder: 'sk-...',
    },
  ),
  keyed('moonshot', 'Moonshot AI', 'forwarded', 'https://api.moonshot.ai/v1', ['chat'], { placeholder: 'sk-...' }),
  keyed('openrouter', 'OpenRouter', 'forwarded', 'https://openrouter.ai/api/v1', ['chat', 'completion'], {
    placeholder: 'sk-or-...',
  }),
  keyed('fal', 'fal', 'bridged', 'https://fal.run', ['image', 'transcription', 'video']),
  keyed('replicate', 'Replicate', 'bridged', 'https://api.replicate.com/v1', ['image', 'video'], { placeholder: 'r8_...' }),
  keyed('luma', 'Luma', 'bridged', 'https://api.lumalabs.ai', ['image']),
  keyed('black-forest-labs', 'Black Forest Labs', 'bridged', 'https://api.bfl.ai/v1', ['image']),
  keyed('elevenlabs', 'ElevenLabs', 'bridged', 'https://api.elevenlabs.io', ['speech', 'transcription']),
  keyed('deepgram', 'Deepgram', 'bridged', 'https://api.deepgram.com', ['speech', 'transcription']),
  keyed('assemblyai', 'AssemblyAI', 'bridged', 'https://api.assemblyai.com', ['transcription']),
  served('ollama', 'Ollama', 'http://localhost:11434/v1', ['chat', 'completion', 'embedding']),
  served('vllm', 'vLLM', 'http://localhost:8000/v1', ['chat', 'completion', 'embedding', 'transcription']),
  served('openai-compatible', 'OpenAI-compatible', null, [...ALL, 'video']),
  served('tollgate', 'Tollgate', null, [...ALL, 'video']),
  {
    id: 'sandbox',
    label: 'Sandbox',
    modalities: ['chat', 'embedding', 'image', 'speech', 'transcription', 'video'],
    reached: 'simulated',
    baseUrl: null,
    fields: [],
    listsModels: false,
  },
]

const BY_ID: ReadonlyMap<string, VendorKind> = new Map(VENDOR_KINDS.map((kind) => [kind.id, kind]))

/** The kind of an id; null where there is none. */
export const vendorKind = (id: string): VendorKind | null => BY_ID.get(id) ?? null
