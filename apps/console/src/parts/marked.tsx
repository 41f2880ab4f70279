export interface TextPart {
  readonly text: string;
  readonly isMatch: boolean;
}

/** A text with its matches marked: see `splitMatches`. */
export function Marked({ parts }: { readonly parts: readonly TextPart[] }) {
  return <>{parts.map(({ text, isMatch }, index) => (isMatch ? <mark key={index}>{text}</mark> : text))}</>;
}
