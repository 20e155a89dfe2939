'use client'
import { useCallback, useEffect, useRef, useState } from 'react'

/** Why nothing can be recorded: a text of `playground.transcribe.microphone`. */
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

/** Records from the microphone into a file. The browser asks its user first, and only where the page came over https or from this machine. */
export function useMicrophone(onRecorded: (file: File) => void) {
  const [recording, setRecording] = useState(false)
  const [fault, setFault] = useState<MicrophoneFault | null>(null)
  const recorder = useRef<MediaRecorder | null>(null)
  const latest = useRef(onRecorded)
  latest.current = onRecorded

  const stop = useCallback(() => {
    if (recorder.current?.state === 'recording') recorder.current.stop()
  }, [])
  useEffect(() => stop, [stop])

  const start = useCallback(async () => {
    setFault(null)
    if (!navigator.mediaDevices || typeof MediaRecorder === 'undefined') return setFault('insecure')
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const [type, end] = TYPES.find(([mime]) => MediaRecorder.isTypeSupported(mime)) ?? ['', 'webm']
      const own = new MediaRecorder(stream, type === '' ? {} : { mimeType: type })
      const chunks: Blob[] = []
      own.ondataavailable = ({ data }) => chunks.push(data)
      own.onstop = () => {
        for (const track of stream.getTracks()) track.stop()
        setRecording(false)
        latest.current(new File(chunks, `recording.${end}`, { type: own.mimeType }))
      }
      own.start()
      recorder.current = own
      setRecording(true)
    } catch (error) {
      setFault(faultOf(error))
    }
  }, [])
  return { recording, fault, start, stop }
}
