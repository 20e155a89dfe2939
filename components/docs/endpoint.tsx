import { Fragment } from 'react'
import { cn } from '../cn.ts'
import { placed } from '../placed.ts'

/** An endpoint's method and path, which is broken between its parts where it is too long for a line. */
export const Endpoint = ({ method, path, className }: { method: string; path: string; className?: string }) => (
  <span className={cn('mono wrap-anywhere', className)}>
    <span className="text-second">{method}</span>{' '}
    {placed(path.split(/(?=\/)/)).map(({ place, value }) => (
      <Fragment key={place}>
        {place > 0 && <wbr />}
        {value}
      </Fragment>
    ))}
  </span>
)
