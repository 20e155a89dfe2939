/** A WAV of so many bytes of silence, 16,000 to the second; an even number of them. */
export function silentWavOf(bytes: number): Buffer {
  const wav = Buffer.alloc(44 + bytes)
  wavOf(0).copy(wav)
  wav.writeUInt32LE(36 + bytes, 4)
  wav.writeUInt32LE(bytes, 40)
  return wav
}

/** A WAV of one channel of 16 bits, in which a tone of 440 Hz can be heard for so long. */
export function wavOf(seconds: number, sampleRate = 8000): Buffer {
  const samples = Math.round(seconds * sampleRate)
  const wav = Buffer.alloc(44 + samples * 2)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + samples * 2, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(sampleRate, 24)
  wav.writeUInt32LE(sampleRate * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(samples * 2, 40)
  for (let at = 0; at < samples; at++)
    wav.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / sampleRate)), 44 + at * 2)
  return wav
}
