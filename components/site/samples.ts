import { exampleCurl } from '../curl.ts'

/** The values that samples use: this gateway's address and a model that it has. */
export interface SampleContext {
  /** With its `/v1`. */
  baseUrl: string
  model: string
  greeting: string
}

export interface Sample {
  name: string
  code: string
}

/** A string literal that is valid in Python, TypeScript and Go, which all accept the escapes of JSON. */
export const literal = (text: string): string => JSON.stringify(text)

const python = ({ baseUrl, model, greeting }: SampleContext): string => `import os
from openai import OpenAI

client = OpenAI(base_url=${literal(baseUrl)}, api_key=os.environ["TOLLGATE_KEY"])
answer = client.chat.completions.create(
    model=${literal(model)},
    messages=[{"role": "user", "content": ${literal(greeting)}}],
)
print(answer.choices[0].message.content)`

const typescript = ({ baseUrl, model, greeting }: SampleContext): string => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${literal(baseUrl)}, apiKey: process.env.TOLLGATE_KEY })
const answer = await client.chat.completions.create({
  model: ${literal(model)},
  messages: [{ role: 'user', content: ${literal(greeting)} }],
})
console.log(answer.choices[0]?.message.content)`

const go = ({ baseUrl, model, greeting }: SampleContext): string => `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(
		option.WithBaseURL(${literal(baseUrl)}),
		option.WithAPIKey(os.Getenv("TOLLGATE_KEY")),
	)
	answer, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
		Model:    ${literal(model)},
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(${literal(greeting)})},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Choices[0].Message.Content)
}`

/** A first call in four languages. Each can be run as it is, with a key in TOLLGATE_KEY. */
export const firstCall = (context: SampleContext): Sample[] => [
  { name: 'curl', code: exampleCurl(context.baseUrl, context.model, context.greeting) },
  { name: 'Python', code: python(context) },
  { name: 'TypeScript', code: typescript(context) },
  { name: 'Go', code: go(context) },
]
