'use client'
import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { cn } from '../cn.ts'

interface MenuProps {
  trigger: ReactNode
  children: ReactNode
  side?: 'top' | 'bottom'
  align?: 'start' | 'end'
  className?: string
}

const itemStyles =
  'relative flex h-8 cursor-default select-none items-center gap-2 rounded-sm px-2 outline-none data-highlighted:bg-hover data-disabled:opacity-55'

/** A menu that opens from a button. */
export function Menu({ trigger, children, side = 'bottom', align = 'end', className }: MenuProps) {
  return (
    // Not modal: a modal menu hides the page from screen readers while its links still take the focus.
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={cn('z-50 min-w-44 animate-appear rounded-md border bg-panel p-1 shadow-float', className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** An action in the menu. */
export function MenuItem({ className, ...rest }: ComponentProps<typeof Radix.Item>) {
  return <Radix.Item className={cn(itemStyles, className)} {...rest} />
}

/** A separator between groups of items. */
export const MenuSeparator = () => <Radix.Separator className="my-1 h-px bg-line-soft" />

interface MenuRadioGroupProps {
  label: string
  value: string
  onChange: (value: string) => void
  options: { value: string; label: ReactNode }[]
}

/** A labeled single choice inside a menu. The menu stays open, so that the effect can be seen. */
export function MenuRadioGroup({ label, value, onChange, options }: MenuRadioGroupProps) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChange}>
      <Radix.Label className="px-2 pt-1.5 pb-1 text-second text-xs">{label}</Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem
          key={option.value}
          value={option.value}
          onSelect={(event) => event.preventDefault()}
          className={itemStyles}
        >
          <span className="flex min-w-0 flex-1 items-center gap-2">{option.label}</span>
          <Radix.ItemIndicator>
            <Check aria-hidden className="size-3.5 text-accent" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}
