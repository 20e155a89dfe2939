import { curl } from '../curl.ts'
import { type SampleContext as CallContext, firstCall, literal, type Sample } from '../site/samples.ts'

/** The values that code samples use. */
export interface SampleContext extends CallContext {
  /** A model that makes videos. */
  videoModel: string
}

const singleQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const messages = ({ greeting }: SampleContext) => [{ role: 'user', content: greeting }]

const openaiPython = (context: SampleContext, lines: string): string => `import os
from openai import OpenAI

client = OpenAI(base_url=${literal(context.baseUrl)}, api_key=os.environ["TOLLGATE_KEY"])
${lines}`

const openaiTypescript = (context: SampleContext, lines: string): string => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${singleQuoted(context.baseUrl)}, apiKey: process.env.TOLLGATE_KEY })
${lines}`

const langchainTypescript = (context: SampleContext): string => `import { ChatOpenAI } from '@langchain/openai'

const model = new ChatOpenAI({
  model: ${singleQuoted(context.model)},
  apiKey: process.env.TOLLGATE_KEY,
  configuration: { baseURL: ${singleQuoted(context.baseUrl)} },
})
const answer = await model.invoke(${singleQuoted(context.greeting)})
console.log(answer.content)`

const langchainPython = (context: SampleContext): string => `import os
from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model=${literal(context.model)},
    base_url=${literal(context.baseUrl)},
    api_key=os.environ["TOLLGATE_KEY"],
)
print(model.invoke(${literal(context.greeting)}).content)`

const aiSdk = (context: SampleContext): string => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const tollgate = createOpenAICompatible({
  name: 'tollgate',
  baseURL: ${singleQuoted(context.baseUrl)},
  apiKey: process.env.TOLLGATE_KEY,
})
const { text } = await generateText({ model: tollgate(${singleQuoted(context.model)}), prompt: ${singleQuoted(context.greeting)} })
console.log(text)`

const codex = ({ baseUrl, model }: SampleContext): Sample[] => [
  {
    name: '~/.codex/config.toml',
    code: `model = ${literal(model)}
model_provider = "tollgate"
web_search = "disabled"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${literal(baseUrl)}
env_key = "TOLLGATE_KEY"
wire_api = "responses"`,
  },
]

const opencode = ({ baseUrl, model }: SampleContext): Sample[] => [
  {
    name: 'opencode.json',
    code: JSON.stringify(
      {
        provider: {
          tollgate: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Tollgate',
            options: { baseURL: baseUrl, apiKey: '{env:TOLLGATE_KEY}' },
            models: { [model]: {} },
          },
        },
      },
      null,
      2,
    ),
  },
]

const stream = (context: SampleContext): Sample[] => [
  {
    name: 'curl',
    code: `${curl({
      url: `${context.baseUrl}/chat/completions`,
      body: { model: context.model, messages: messages(context), stream: true, stream_options: { include_usage: true } },
    })} \\\n  --no-buffer`,
  },
  {
    name: 'Python',
    code: openaiPython(
      context,
      `stream = client.chat.completions.create(
    model=${literal(context.model)},
    messages=[{"role": "user", "content": ${literal(context.greeting)}}],
    stream=True,
    stream_options={"include_usage": True},
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")
    if chunk.usage:
        print("\\n", chunk.usage)`,
    ),
  },
  {
    name: 'TypeScript',
    code: openaiTypescript(
      context,
      `const stream = await client.chat.completions.create({
  model: ${singleQuoted(context.model)},
  messages: [{ role: 'user', content: ${singleQuoted(context.greeting)} }],
  stream: true,
  stream_options: { include_usage: true },
})
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')
  if (chunk.usage) console.log('\\n', chunk.usage)
}`,
    ),
  },
]

const errors = (context: SampleContext): Sample[] => [
  {
    name: 'Python',
    code: openaiPython(
      context,
      `try:
    client.chat.completions.create(model="no/such-model", messages=[{"role": "user", "content": "?"}])
except openai.APIStatusError as error:
    print(error.status_code, error.code, error.param, error.request_id)`,
    ).replace('import os\n', 'import os\nimport openai\n'),
  },
  {
    name: 'TypeScript',
    code: openaiTypescript(
      context,
      `try {
  await client.chat.completions.create({ model: 'no/such-model', messages: [{ role: 'user', content: '?' }] })
} catch (error) {
  if (!(error instanceof OpenAI.APIError)) throw error
  console.log(error.status, error.code, error.param, error.requestID)
}`,
    ),
  },
]

const IDEMPOTENCY_KEY = 'order-4711-summary'

const idempotency = (context: SampleContext): Sample[] => [
  {
    name: 'curl',
    code: curl({
      url: `${context.baseUrl}/chat/completions`,
      body: { model: context.model, messages: messages(context) },
    }).replace('  -H "Content-Type', `  -H "Idempotency-Key: ${IDEMPOTENCY_KEY}" \\\n  -H "Content-Type`),
  },
  {
    name: 'Python',
    code: openaiPython(
      context,
      `answer = client.chat.completions.create(
    model=${literal(context.model)},
    messages=[{"role": "user", "content": ${literal(context.greeting)}}],
    extra_headers={"Idempotency-Key": "${IDEMPOTENCY_KEY}"},
)`,
    ),
  },
  {
    name: 'TypeScript',
    code: openaiTypescript(
      context,
      `const answer = await client.chat.completions.create(
  { model: ${singleQuoted(context.model)}, messages: [{ role: 'user', content: ${singleQuoted(context.greeting)} }] },
  { idempotencyKey: '${IDEMPOTENCY_KEY}' },
)`,
    ),
  },
]

const video = ({ baseUrl, videoModel, greeting }: SampleContext): Sample[] => [
  {
    name: 'curl',
    code: [
      curl({ url: `${baseUrl}/videos/generations`, body: { model: videoModel, prompt: greeting, duration: 5, async: true } }),
      '',
      `curl ${baseUrl}/videos/generations/TASK_ID \\`,
      '  -H "Authorization: Bearer $TOLLGATE_KEY"',
    ].join('\n'),
  },
  {
    name: 'Python',
    code: `import os, time, urllib.request, json

def call(path, body=None):
    request = urllib.request.Request(
        ${literal(baseUrl)} + path,
        data=json.dumps(body).encode() if body else None,
        headers={"Authorization": "Bearer " + os.environ["TOLLGATE_KEY"], "Content-Type": "application/json"},
    )
    return json.load(urllib.request.urlopen(request))

task = call("/videos/generations", {"model": ${literal(videoModel)}, "prompt": ${literal(greeting)}, "duration": 5, "async": True})
while task["status"] in ("pending", "processing"):
    time.sleep(5)
    task = call("/videos/generations/" + task["id"])
print(task.get("video_url") or task.get("error"))`,
  },
  {
    name: 'TypeScript',
    code: `const headers = { authorization: \`Bearer \${process.env.TOLLGATE_KEY}\`, 'content-type': 'application/json' }
const videos = ${singleQuoted(`${baseUrl}/videos/generations`)}

const body = JSON.stringify({ model: ${singleQuoted(videoModel)}, prompt: ${singleQuoted(greeting)}, duration: 5, async: true })
let task = await (await fetch(videos, { method: 'POST', headers, body })).json()
while (task.status === 'pending' || task.status === 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 5000))
  task = await (await fetch(\`\${videos}/\${task.id}\`, { headers })).json()
}
console.log(task.video_url ?? task.error)`,
  },
]

const SAMPLES = {
  first: firstCall,
  langchain: (context: SampleContext): Sample[] => [
    { name: 'Python', code: langchainPython(context) },
    { name: 'TypeScript', code: langchainTypescript(context) },
  ],
  aiSdk: (context: SampleContext): Sample[] => [{ name: 'TypeScript', code: aiSdk(context) }],
  codex,
  opencode,
  models: ({ baseUrl }: SampleContext): Sample[] => [
    { name: 'curl', code: `curl ${baseUrl}/models \\\n  -H "Authorization: Bearer $TOLLGATE_KEY"` },
  ],
  stream,
  errors,
  idempotency,
  video,
}

export type SampleName = keyof typeof SAMPLES

/** A sample of the documentation, with the values of this gateway. */
export const sampleOf = (name: SampleName, context: SampleContext): Sample[] => SAMPLES[name](context)
