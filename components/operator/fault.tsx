/** What is wrong with the whole of a form. */
export const Fault = ({ text }: { text: string | null | undefined }) =>
  text == null ? null : (
    <p role="alert" className="rounded-md bg-bad-tint px-3 py-2 text-bad">
      {text}
    </p>
  )
