interface ServedType {
  type: string
  /** Whether browsers show it in place. Everything else is a download. */
  inline: boolean
}

/** The media types that files are served as, by extension. None of them can run in a browser: no HTML, no SVG, no XML. */
const SERVED_TYPES = {
  png: { type: 'image/png', inline: true },
  jpg: { type: 'image/jpeg', inline: true },
  webp: { type: 'image/webp', inline: true },
  gif: { type: 'image/gif', inline: true },
  avif: { type: 'image/avif', inline: true },
  mp4: { type: 'video/mp4', inline: true },
  webm: { type: 'video/webm', inline: true },
  mov: { type: 'video/quicktime', inline: true },
  wav: { type: 'audio/wav', inline: true },
  mp3: { type: 'audio/mpeg', inline: true },
  ogg: { type: 'audio/ogg', inline: true },
  opus: { type: 'audio/opus', inline: true },
  flac: { type: 'audio/flac', inline: true },
  aac: { type: 'audio/aac', inline: true },
  m4a: { type: 'audio/mp4', inline: true },
  pcm: { type: 'audio/pcm', inline: true },
  json: { type: 'application/json', inline: false },
  txt: { type: 'text/plain; charset=utf-8', inline: false },
} as const satisfies Record<string, ServedType>

const FALLBACK_TYPE: ServedType = { type: 'application/octet-stream', inline: false }
const OTHER_EXTENSION = 'bin'

/** Other names of the same types. */
const ALIASES: Record<string, keyof typeof SERVED_TYPES> = {
  'image/jpg': 'jpg',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/mp3': 'mp3',
  'audio/x-flac': 'flac',
  'audio/x-m4a': 'm4a',
  'audio/l16': 'pcm',
}

const essence = (type: string): string => (type.split(';', 1)[0] ?? '').trim().toLowerCase()

const EXTENSIONS = new Map<string, string>([
  ...Object.entries(SERVED_TYPES).map(([extension, { type }]): [string, string] => [essence(type), extension]),
  ...Object.entries(ALIASES),
])

/** The extension for a media type, or `bin` if the type is not served as itself. Parameters of the type are ignored. */
export const extensionOf = (type: string): string => EXTENSIONS.get(essence(type)) ?? OTHER_EXTENSION

/** How a file with this extension is served. */
export const servedTypeOf = (extension: string): ServedType =>
  Object.hasOwn(SERVED_TYPES, extension) ? SERVED_TYPES[extension as keyof typeof SERVED_TYPES] : FALLBACK_TYPE
