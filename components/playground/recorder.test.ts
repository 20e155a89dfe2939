import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRecorder } from './recorder.ts'

/** Answers to the browser's permission prompts, in the order in which they were shown. */
let asked: { allow: () => void; refuse: () => void }[] = []
let open = 0

function streamOf(): object {
  open += 1
  return {
    getTracks: () => [
      {
        stop: () => {
          open -= 1
        },
      },
    ],
  }
}

class FakeRecorder {
  static isTypeSupported = () => true
  state = 'inactive'
  mimeType = 'audio/webm'
  onstop = () => {}
  start() {
    this.state = 'recording'
  }
  stop() {
    this.state = 'inactive'
    this.onstop()
  }
}

beforeEach(() => {
  asked = []
  open = 0
  const getUserMedia = () =>
    new Promise((resolve, reject) => {
      asked.push({ allow: () => resolve(streamOf()), refuse: () => reject(new DOMException('', 'NotAllowedError')) })
    })
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia } })
  vi.stubGlobal('MediaRecorder', FakeRecorder)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

function recorder() {
  const heard = { recording: [] as boolean[], faults: [] as (string | null)[], files: [] as File[] }
  const made = createRecorder({
    onRecording: (recording) => heard.recording.push(recording),
    onFault: (fault) => heard.faults.push(fault),
    onRecorded: (file) => heard.files.push(file),
  })
  return { ...made, heard }
}

it('records once, however often it is started before the permission', async () => {
  const { start, stop, heard } = recorder()
  const starts = [start(), start()]
  for (const { allow } of asked) allow()
  await Promise.all(starts)
  await start()
  expect([asked.length, open]).toEqual([1, 1])
  stop()
  expect(heard.recording).toEqual([true, false])
  expect(heard.files.map(({ name }) => name)).toEqual(['recording.webm'])
  expect(open).toBe(0)
})

it('lets go of a microphone that is given after the page was left', async () => {
  const { start, stop, heard } = recorder()
  const started = start()
  stop()
  asked[0]?.allow()
  await started
  expect([open, heard.recording, heard.files]).toEqual([0, [], []])
})

it('starts anew after one that was taken back, which changes nothing of it', async () => {
  const { start, stop, heard } = recorder()
  const first = start()
  stop()
  const second = start()
  asked[1]?.allow()
  await second
  asked[0]?.refuse()
  await first
  expect([open, heard.recording]).toEqual([1, [true]])
  expect(heard.faults).toEqual([null, null])
})

it('says why it cannot, and lets go of what cannot be recorded', async () => {
  const { start, heard } = recorder()
  const refused = start()
  asked[0]?.refuse()
  await refused
  vi.stubGlobal(
    'MediaRecorder',
    class extends FakeRecorder {
      override start() {
        throw new Error('busy')
      }
    },
  )
  const failed = start()
  asked[1]?.allow()
  await failed
  expect(heard.faults).toEqual([null, 'refused', null, 'failed'])
  expect(open).toBe(0)
})
