import { existsSync } from 'node:fs'
import { join } from 'node:path'

type Canvases = typeof import('@napi-rs/canvas')

/** The name under which the project's own font is known, so that text is drawn on machines without fonts. */
const FAMILY = 'Tollgate Sandbox'
/** What draws characters that the font has not, where the machine has one of these. */
const OTHERS = '"Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Color Emoji", sans-serif'

let loading: Promise<Canvases> | null = null

async function load(): Promise<Canvases> {
  const canvases = await import('@napi-rs/canvas')
  const file = join(process.cwd(), 'node_modules/geist/dist/fonts/geist-sans/Geist-Medium.ttf')
  if (existsSync(file)) canvases.GlobalFonts.registerFromPath(file, FAMILY)
  return canvases
}

/** The canvas library with its font: 30 MB that are loaded when something is first drawn. */
export function loadCanvas(): Promise<Canvases> {
  loading ??= load()
  return loading
}

/** A font as a canvas wants it, of so many pixels. */
export const fontOf = (pixels: number): string => `${Math.round(pixels)}px "${FAMILY}", ${OTHERS}`
