import { Fragment } from 'react'
import { cn } from '../cn.ts'
import { enumerate } from '../enumerate.ts'

/** The method and path of an endpoint. A long path breaks between its segments. */
export const Endpoint = ({ method, path, className }: { method: string; path: string; className?: string }) => (
  <span className={cn('mono wrap-anywhere', className)}>
    <span className="text-second">{method}</span>{' '}
    {enumerate(path.split(/(?=\/)/)).map(({ place, value }) => (
      <Fragment key={place}>
        {place > 0 && <wbr />}
        {value}
      </Fragment>
    ))}
  </span>
)
