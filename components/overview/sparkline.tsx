const WIDTH = 100
const HEIGHT = 28

function pathOf(values: (number | null)[]): string {
  const known = values.filter((value) => value !== null)
  const max = Math.max(...known, 0)
  const min = Math.min(...known, max)
  const range = max - min
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0
  let isLineOpen = false
  return values
    .map((value, index) => {
      // A day without a value leaves a gap, because it is not zero.
      if (value === null) {
        isLineOpen = false
        return ''
      }
      const y = range === 0 ? (max === 0 ? HEIGHT - 2 : HEIGHT / 2) : HEIGHT - 2 - ((value - min) / range) * (HEIGHT - 4)
      const piece = `${isLineOpen ? 'L' : 'M'}${(index * step).toFixed(2)} ${y.toFixed(2)}`
      isLineOpen = true
      return piece
    })
    .join('')
}

/** The trend of a figure over the period, as a line without an axis. Decorative, because the figure states the value. */
export function Sparkline({ values, color }: { values: (number | null)[]; color: string }) {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return <div className="h-7 border-line-soft border-b border-dashed" />
  return (
    <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="h-7 w-full overflow-visible">
      <path
        d={pathOf(values)}
        fill="none"
        stroke={color}
        strokeWidth="1.75"
        strokeLinejoin="round"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
