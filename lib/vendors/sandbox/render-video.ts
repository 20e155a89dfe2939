import type { SKRSContext2D } from '@napi-rs/canvas'
import { fontOf, loadCanvas } from './canvas.ts'
import { drawLandscape, type Scene, writePrompt } from './draw-scene.ts'
import {
  BLOCK,
  blocksAcross,
  blocksDown,
  CODEC,
  decoderConfiguration,
  encodePicture,
  type FrameSize,
  type Samples,
  samplesAt,
  withLength,
} from './h264.ts'
import { seedOf } from './seed.ts'

const LONG = 640
const SHORT = 360
const PICTURES_PER_SECOND = 5

export interface VideoSpec {
  prompt: string
  /** Whole seconds. */
  seconds: number
  landscape: boolean
}

/** Draws the strip that changes: a bar that fills, and the elapsed time. */
function drawProgress(context: SKRSContext2D, { width, height }: FrameSize, at: number, seconds: number): void {
  const top = height - BLOCK * 3
  context.fillStyle = '#191918'
  context.fillRect(0, top, width, height - top)
  context.fillStyle = '#3ecf9d'
  context.fillRect(BLOCK, top + BLOCK * 1.75, ((width - BLOCK * 2) * at) / seconds, BLOCK / 2)
  context.fillStyle = '#f1f0ec'
  context.font = fontOf(BLOCK)
  context.textBaseline = 'top'
  context.fillText(`${at.toFixed(1)} s of ${seconds} s`, BLOCK, top + BLOCK * 0.4)
}

/** The macroblocks of a picture from the row `fromRow` on. */
function blocksOf(context: SKRSContext2D, size: FrameSize, fromRow: number): Map<number, Samples> {
  const { data } = context.getImageData(0, 0, size.width, size.height)
  const blocks = new Map<number, Samples>()
  const across = blocksAcross(size)
  for (let down = fromRow; down < blocksDown(size); down++)
    for (let x = 0; x < across; x++) blocks.set(down * across + x, samplesAt(data, size, x, down))
  return blocks
}

/** The macroblocks that differ from those in `previous`, which is updated. */
function updateChanged(previous: Map<number, Samples>, now: Map<number, Samples>): Map<number, Samples> {
  const changed = new Map<number, Samples>()
  for (const [at, samples] of now) {
    if (Buffer.compare(samples, previous.get(at) ?? Buffer.alloc(0)) === 0) continue
    previous.set(at, samples)
    changed.set(at, samples)
  }
  return changed
}

/** The pictures of a video, the first one whole. */
async function* picturesOf(spec: VideoSpec, size: FrameSize): AsyncGenerator<Buffer> {
  const { createCanvas } = await loadCanvas()
  const { prompt, seconds, landscape } = spec
  const context = createCanvas(size.width, size.height).getContext('2d')
  const seed = seedOf('video', { prompt, seconds, landscape })
  const scene: Scene = { ...size, prompt, seed, label: `sandbox · ${size.width}x${size.height} · ${seconds} s` }
  drawLandscape(context, scene)
  writePrompt(context, scene, { x: 0, y: 0, width: size.width, height: size.height - BLOCK * 3 })
  drawProgress(context, size, 0, seconds)
  const shown = blocksOf(context, size, 0)
  yield encodePicture(size, 0, new Map(shown))
  // Only the strip changes. One row more is needed, because the strip begins inside a row.
  const fromRow = blocksDown(size) - 4
  for (let number = 1; number < seconds * PICTURES_PER_SECOND; number++) {
    drawProgress(context, size, number / PICTURES_PER_SECOND, seconds)
    yield encodePicture(size, number % 256, updateChanged(shown, blocksOf(context, size, fromRow)))
    await new Promise(setImmediate)
  }
}

/** Makes a video of exactly `seconds` seconds that shows its prompt and its progress: an MP4 with H.264, without sound. */
export async function renderVideo(spec: VideoSpec): Promise<Uint8Array> {
  const { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } = await import('mediabunny')
  const size: FrameSize = spec.landscape ? { width: LONG, height: SHORT } : { width: SHORT, height: LONG }
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
  const source = new EncodedVideoPacketSource('avc')
  output.addVideoTrack(source, { frameRate: PICTURES_PER_SECOND })
  await output.start()
  const decoderConfig: VideoDecoderConfig = {
    codec: CODEC,
    codedWidth: size.width,
    codedHeight: size.height,
    description: decoderConfiguration(size),
  }
  let number = 0
  for await (const picture of picturesOf(spec, size)) {
    const [at, durationSeconds] = [number / PICTURES_PER_SECOND, 1 / PICTURES_PER_SECOND]
    const packet = new EncodedPacket(withLength(picture), number === 0 ? 'key' : 'delta', at, durationSeconds)
    await source.add(packet, number === 0 ? { decoderConfig } : undefined)
    number++
  }
  await output.finalize()
  if (target.buffer === null) throw new Error('the video has no bytes')
  return new Uint8Array(target.buffer)
}
