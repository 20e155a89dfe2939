import type { SKRSContext2D } from '@napi-rs/canvas'
import { fontOf } from './canvas.ts'
import { roll } from './seed.ts'

/** What an image shows: its prompt over a landscape that depends on the seed. */
export interface Scene {
  prompt: string
  width: number
  height: number
  seed: string
  /** A line in the corner, such as the size. */
  label: string
}

const LAYERS = 5
const MAX_LINES = 12
/** More than can be read on an image. The time to measure a word grows with the square of its length. */
const MAX_CHARACTERS = 1000

/** A number from 0 to below 1 that depends on the seed. */
const seededFraction = (seed: string, label: string): number => roll(seed, label) / 2 ** 32

/** Draws hills under a low sun, in colors that depend on the seed. */
export function drawLandscape(context: SKRSContext2D, { width, height, seed }: Scene): void {
  const hue = Math.floor(seededFraction(seed, 'hue') * 360)
  const sky = context.createLinearGradient(0, 0, 0, height)
  sky.addColorStop(0, `hsl(${hue} 45% 78%)`)
  sky.addColorStop(1, `hsl(${(hue + 40) % 360} 60% 90%)`)
  context.fillStyle = sky
  context.fillRect(0, 0, width, height)
  context.fillStyle = `hsl(${(hue + 180) % 360} 80% 88%)`
  context.beginPath()
  context.arc(width * (0.2 + 0.6 * seededFraction(seed, 'sun')), height * 0.32, Math.min(width, height) * 0.12, 0, Math.PI * 2)
  context.fill()
  for (let layer = 0; layer < LAYERS; layer++) drawHills(context, { width, height, seed }, layer, hue)
}

function drawHills(
  context: SKRSContext2D,
  { width, height, seed }: Pick<Scene, 'width' | 'height' | 'seed'>,
  layer: number,
  hue: number,
): void {
  const top = height * (0.42 + (0.5 * layer) / LAYERS)
  const [waves, shift] = [1 + 3 * seededFraction(seed, `waves ${layer}`), 6 * seededFraction(seed, `shift ${layer}`)]
  context.fillStyle = `hsl(${(hue + 30 + layer * 8) % 360} 35% ${66 - layer * 9}%)`
  context.beginPath()
  context.moveTo(0, height)
  for (let step = 0; step <= 48; step++) {
    const x = step / 48
    context.lineTo(x * width, top + Math.sin(x * waves * Math.PI + shift) * height * 0.05)
  }
  context.lineTo(width, height)
  context.fill()
}

/** The start of a text that is drawn, without half a character at its end. */
const startOf = (text: string): string => {
  const start = text.slice(0, MAX_CHARACTERS).trim()
  return text.length > MAX_CHARACTERS ? `${start.replace(/[\ud800-\udbff]$/, '')}…` : start
}

/** Splits a text into lines that fit. Words stay whole if they can. */
function linesOf(context: SKRSContext2D, text: string, maxWidth: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of text
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<= )|(?<=\p{Script=Han})/u)) {
    let rest = piece
    if (context.measureText(line + rest.trimEnd()).width > maxWidth && line !== '') {
      lines.push(line.trimEnd())
      line = ''
    }
    while (lines.length <= MAX_LINES && rest.length > 1 && context.measureText(rest).width > maxWidth) {
      const fits = Math.max(1, Math.floor((rest.length * maxWidth) / context.measureText(rest).width))
      lines.push(rest.slice(0, fits))
      rest = rest.slice(fits)
    }
    line += rest
    if (lines.length > MAX_LINES) break
  }
  if (line.trim() !== '') lines.push(line.trimEnd())
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES - 1), `${lines[MAX_LINES - 1] ?? ''}…`] : lines
}

/** Writes the prompt on a plain panel in a part of the image, as large as fits, with the label below it. */
export function writePrompt(
  context: SKRSContext2D,
  { prompt, label }: Scene,
  place: { x: number; y: number; width: number; height: number },
): void {
  const margin = Math.min(place.width, place.height) * 0.06
  const maxWidth = place.width - margin * 4
  let size = Math.max(9, Math.min(place.width, place.height) / 13)
  const text = startOf(prompt)
  let lines: string[] = []
  for (; size >= 6; size *= 0.88) {
    context.font = fontOf(size)
    lines = linesOf(context, text, maxWidth)
    if ((lines.length + 1.5) * size * 1.35 <= place.height - margin * 4) break
  }
  const panelHeight = (lines.length + 1.2) * size * 1.35 + margin * 1.4
  const top = place.y + (place.height - panelHeight) / 2
  context.fillStyle = 'rgba(255, 255, 255, 0.86)'
  context.beginPath()
  context.roundRect(place.x + margin, top, place.width - margin * 2, panelHeight, size * 0.6)
  context.fill()
  context.fillStyle = '#191918'
  context.textBaseline = 'top'
  for (const [at, line] of lines.entries())
    context.fillText(line, place.x + margin * 2, top + margin * 0.7 + at * size * 1.35, maxWidth)
  context.fillStyle = '#5f5e5a'
  context.font = fontOf(size * 0.62)
  context.fillText(label, place.x + margin * 2, top + margin * 0.7 + (lines.length + 0.25) * size * 1.35, maxWidth)
}
