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

/** A vendor that needs a key and has one public address. */
function hostedKind(
  id: string,
  label: string,
  reached: VendorKind['reached'],
  address: string,
  modalities: readonly VendorModality[],
  {
    placeholder,
    listsModels = reached === 'forwarded',
    ...more
  }: { env: string; placeholder?: string; listsModels?: boolean; searches?: true },
): VendorKind {
  const fields = [apiKey(placeholder), baseUrl(address)]
  return { id, label, modalities, reached, baseUrl: address, fields, listsModels, ...more }
}

/** A self-hosted server: it has an address, and maybe a key. */
const selfHostedKind = (
  id: string,
  label: string,
  address: string | null,
  modalities: readonly VendorModality[],
): VendorKind => ({
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
  // It lists models, but requests name deployments.
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
  searches: true,
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

/** Every kind of connection, in display order. `lib/vendors/registry.ts` has the implementation of each. */
export const VENDOR_KINDS: readonly VendorKind[] = [
  hostedKind('openai', 'OpenAI', 'forwarded', 'https://api.openai.com/v1', ALL, { env: 'OPENAI_API_KEY', placeholder: 'sk-...' }),
  azure,
  hostedKind('anthropic', 'Anthropic', 'bridged', 'https://api.anthropic.com/v1', ['chat'], {
    env: 'ANTHROPIC_API_KEY',
    placeholder: 'sk-ant-...',
    listsModels: true,
    searches: true,
  }),
  hostedKind(
    'google',
    'Google Gemini',
    'bridged',
    'https://generativelanguage.googleapis.com/v1beta',
    ['chat', 'embedding', 'image', 'video'],
    { env: 'GEMINI_API_KEY', listsModels: true, searches: true },
  ),
  vertex,
  bedrock,
  hostedKind('mistral', 'Mistral', 'bridged', 'https://api.mistral.ai/v1', ['chat', 'embedding'], {
    env: 'MISTRAL_API_KEY',
    listsModels: true,
  }),
  hostedKind('cohere', 'Cohere', 'bridged', 'https://api.cohere.com/v2', ['chat', 'embedding'], { env: 'COHERE_API_KEY' }),
  hostedKind('xai', 'xAI', 'forwarded', 'https://api.x.ai/v1', ['chat'], { env: 'XAI_API_KEY', placeholder: 'xai-...' }),
  hostedKind('deepseek', 'DeepSeek', 'forwarded', 'https://api.deepseek.com/v1', ['chat'], {
    env: 'DEEPSEEK_API_KEY',
    placeholder: 'sk-...',
  }),
  hostedKind('groq', 'Groq', 'forwarded', 'https://api.groq.com/openai/v1', ['chat', 'speech', 'transcription'], {
    env: 'GROQ_API_KEY',
    placeholder: 'gsk_...',
  }),
  hostedKind('together', 'Together AI', 'forwarded', 'https://api.together.xyz/v1', ['chat', 'completion', 'embedding'], {
    env: 'TOGETHER_API_KEY',
  }),
  hostedKind(
    'fireworks',
    'Fireworks AI',
    'forwarded',
    'https://api.fireworks.ai/inference/v1',
    ['chat', 'completion', 'embedding'],
    {
      env: 'FIREWORKS_API_KEY',
      placeholder: 'fw_...',
    },
  ),
  hostedKind('perplexity', 'Perplexity', 'forwarded', 'https://api.perplexity.ai', ['chat'], {
    env: 'PERPLEXITY_API_KEY',
    placeholder: 'pplx-...',
    listsModels: false,
  }),
  hostedKind('cerebras', 'Cerebras', 'forwarded', 'https://api.cerebras.ai/v1', ['chat', 'completion'], {
    env: 'CEREBRAS_API_KEY',
    placeholder: 'csk-...',
  }),
  hostedKind(
    'deepinfra',
    'DeepInfra',
    'forwarded',
    'https://api.deepinfra.com/v1/openai',
    ['chat', 'completion', 'embedding', 'speech', 'transcription'],
    { env: 'DEEPINFRA_API_KEY' },
  ),
  hostedKind(
    'alibaba',
    'Alibaba (Qwen)',
    'forwarded',
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    ['chat', 'embedding'],
    { env: 'DASHSCOPE_API_KEY', placeholder: 'sk-...' },
  ),
  hostedKind('moonshot', 'Moonshot AI', 'forwarded', 'https://api.moonshot.ai/v1', ['chat'], {
    env: 'MOONSHOT_API_KEY',
    placeholder: 'sk-...',
  }),
  hostedKind('openrouter', 'OpenRouter', 'forwarded', 'https://openrouter.ai/api/v1', ['chat', 'completion'], {
    env: 'OPENROUTER_API_KEY',
    placeholder: 'sk-or-...',
  }),
  hostedKind('fal', 'fal', 'bridged', 'https://fal.run', ['image', 'transcription', 'video'], { env: 'FAL_KEY' }),
  hostedKind('replicate', 'Replicate', 'bridged', 'https://api.replicate.com/v1', ['image', 'video'], {
    env: 'REPLICATE_API_TOKEN',
    placeholder: 'r8_...',
  }),
  hostedKind('luma', 'Luma', 'bridged', 'https://api.lumalabs.ai', ['image'], { env: 'LUMA_API_KEY' }),
  hostedKind('black-forest-labs', 'Black Forest Labs', 'bridged', 'https://api.bfl.ai/v1', ['image'], { env: 'BFL_API_KEY' }),
  hostedKind('elevenlabs', 'ElevenLabs', 'bridged', 'https://api.elevenlabs.io', ['speech', 'transcription'], {
    env: 'ELEVENLABS_API_KEY',
  }),
  hostedKind('deepgram', 'Deepgram', 'bridged', 'https://api.deepgram.com', ['speech', 'transcription'], {
    env: 'DEEPGRAM_API_KEY',
  }),
  hostedKind('assemblyai', 'AssemblyAI', 'bridged', 'https://api.assemblyai.com', ['transcription'], {
    env: 'ASSEMBLYAI_API_KEY',
  }),
  selfHostedKind('ollama', 'Ollama', 'http://localhost:11434/v1', ['chat', 'completion', 'embedding']),
  selfHostedKind('vllm', 'vLLM', 'http://localhost:8000/v1', ['chat', 'completion', 'embedding', 'transcription']),
  selfHostedKind('openai-compatible', 'OpenAI-compatible', null, [...ALL, 'video']),
  selfHostedKind('tollgate', 'Tollgate', null, [...ALL, 'video']),
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

/** The kind with this id, or null if there is none. */
export const vendorKind = (id: string): VendorKind | null => BY_ID.get(id) ?? null
