/** The overlay between the page and a dialog above it. */
export const overlayLook = 'fixed inset-0 z-40 bg-shade data-[state=open]:animate-appear'
