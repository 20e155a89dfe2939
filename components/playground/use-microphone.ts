'use client'
import { useEffect, useRef, useState } from 'react'
import { createRecorder, type MicrophoneFault } from './recorder.ts'

/**
 * Records from the microphone into a file. The browser asks for permission first. It works only on pages from https or
 * localhost.
 */
export function useMicrophone(onRecorded: (file: File) => void) {
  const [recording, setRecording] = useState(false)
  const [fault, setFault] = useState<MicrophoneFault | null>(null)
  const latest = useRef(onRecorded)
  latest.current = onRecorded
  const [{ start, stop }] = useState(() =>
    createRecorder({ onRecording: setRecording, onFault: setFault, onRecorded: (file) => latest.current(file) }),
  )
  useEffect(() => stop, [stop])
  return { recording, fault, start, stop }
}
