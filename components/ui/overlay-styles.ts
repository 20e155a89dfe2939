/** The overlay between the page and a dialog above it. */
export const overlayStyles = 'fixed inset-0 z-40 bg-shade data-[state=open]:animate-appear'
