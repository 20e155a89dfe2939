'use client'
import { useState } from 'react'
import type { JsonRecord } from '../history/json.ts'
import type { SentCall } from './code-views.ts'
import { type ReadRun, useRun } from './use-run.ts'

/** A call of an endpoint of images or audio. With files it is sent as a form, without them as JSON. */
interface MediaCall {
  path: SentCall['path']
  body: JsonRecord
  files?: readonly (readonly [field: string, file: File])[]
}

function toFormData(body: JsonRecord, files: NonNullable<MediaCall['files']>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) form.append(name, String(value))
  for (const [field, file] of files) form.append(field, file)
  return form
}

/** Makes one media call at a time. Keeps its result, and what was sent: the draft changes while the result is still shown. */
export function useMediaCall<T>(groupId: string) {
  const [sent, setSent] = useState<SentCall | null>(null)
  const { run, start, stop, running } = useRun<T>()
  const send = ({ path, body, files = [] }: MediaCall, empty: T, read: ReadRun<T>): void => {
    const isForm = files.length > 0
    setSent({ path, body, ...(isForm ? { files: files.map(([field, file]) => [field, file.name] as const) } : {}) })
    void start({ path, groupId, ...(isForm ? { form: () => toFormData(body, files) } : { body }) }, empty, read)
  }
  return { run, sent, send, stop, running }
}
