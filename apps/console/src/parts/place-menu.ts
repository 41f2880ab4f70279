interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle of the window, in pixels from its corner at the top left. */
type Box = Readonly<Record<'top' | 'bottom' | 'right', number>>;

const gap = 4;
const margin = 8;

/**
 * Returns where a menu opens: below its button and flush with the button's right edge, or above it if there is more
 * room. It never leaves the window on the left or at the top.
 */
export function placeMenu(button: Box, menu: Size, windowSize: Size): { readonly left: number; readonly top: number } {
  const roomBelow = windowSize.height - margin - (button.bottom + gap);
  const roomAbove = button.top - gap - margin;
  const isAbove = menu.height > roomBelow && roomAbove > roomBelow;
  const top = isAbove ? button.top - gap - menu.height : button.bottom + gap;
  const left = Math.min(button.right, windowSize.width - margin) - menu.width;
  return { left: Math.max(left, margin), top: Math.max(top, margin) };
}
