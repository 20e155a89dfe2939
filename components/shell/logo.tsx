/** The icon: a post with its arm raised. */
export const LogoMark = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 24 24" className={className} aria-hidden="true">
    <path d="M2 7.6 7.2 5.4V21a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1Z" fill="currentColor" />
    <g transform="rotate(-16 5 9)" fill="var(--accent)">
      <path d="M8.6 6.2h3.6l-1.4 4.6H8.6Z" />
      <path d="M14 6.2h3.4l-1.4 4.6h-3.4Z" />
      <path d="M19.2 6.2h3a.8.8 0 0 1 .8.8v3a.8.8 0 0 1-.8.8h-4.4Z" />
    </g>
  </svg>
)

/** The icon with the name next to it. */
export const Logo = ({ name }: { name: string }) => (
  <span className="inline-flex items-center gap-2.5 font-semibold text-lg tracking-tight">
    <LogoMark className="size-[22px]" />
    {name}
  </span>
)
