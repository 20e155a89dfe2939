/** Why recording is not possible: a text of `playground.transcribe.microphone`. */
export type MicrophoneFault = 'refused' | 'none' | 'insecure' | 'failed'

const TYPES: [string, string][] = [
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg;codecs=opus', 'ogg'],
]

function faultOf(error: unknown): MicrophoneFault {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused'
  return name === 'NotFoundError' ? 'none' : 'failed'
}

interface Listeners {
  onRecording: (recording: boolean) => void
  onFault: (fault: MicrophoneFault | null) => void
  onRecorded: (file: File) => void
}

const release = (stream: MediaStream): void => {
  for (const track of stream.getTracks()) track.stop()
}

/** Records a stream until the recorder is stopped, and then releases the microphone. */
function record(stream: MediaStream, { onRecording, onRecorded }: Listeners): MediaRecorder {
  const [type, extension] = TYPES.find(([mime]) => MediaRecorder.isTypeSupported(mime)) ?? ['', 'webm']
  const recorder = new MediaRecorder(stream, type === '' ? {} : { mimeType: type })
  const chunks: Blob[] = []
  recorder.ondataavailable = ({ data }) => chunks.push(data)
  recorder.onstop = () => {
    release(stream)
    onRecording(false)
    onRecorded(new File(chunks, `recording.${extension}`, { type: recorder.mimeType }))
  }
  recorder.start()
  onRecording(true)
  return recorder
}

/**
 * Makes one recording at a time. `stop` also cancels a start that is still waiting for permission: a microphone that is granted
 * after that is released at once.
 */
export function createRecorder(listeners: Listeners): { start(): Promise<void>; stop(): void } {
  let recorder: MediaRecorder | null = null
  let pendingStart: object | null = null

  async function start(): Promise<void> {
    if (pendingStart !== null || recorder?.state === 'recording') return
    listeners.onFault(null)
    if (!navigator.mediaDevices || typeof MediaRecorder === 'undefined') return listeners.onFault('insecure')
    const ownStart = {}
    pendingStart = ownStart
    let stream: MediaStream | null = null
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      if (pendingStart === ownStart) recorder = record(stream, listeners)
      else release(stream)
    } catch (error) {
      if (stream !== null) release(stream)
      if (pendingStart === ownStart) listeners.onFault(faultOf(error))
    }
    if (pendingStart === ownStart) pendingStart = null
  }

  return {
    start,
    stop() {
      pendingStart = null
      if (recorder?.state === 'recording') recorder.stop()
    },
  }
}
