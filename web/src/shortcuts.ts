// Keyboard shortcuts of the page.

export interface Shortcut {
  label: string; // names of the keys for the reader, separated by spaces
  text: string; // the effect
  keys: Record<string, () => void>; // KeyboardEvent.key, letters in lower case, and its action
  repeats?: boolean; // whether the action runs again while the key is held down
}

// Returns whether the focused element uses the key itself.
function usesKey(focused: Element, key: string): boolean {
  if (focused.closest('select, textarea, input:not([type="range"])')) return true;
  return focused.closest('button, a') !== null && (key === ' ' || key === 'Enter');
}

// Runs the shortcuts on key presses anywhere in the page. A key stays with the focused element if the
// element uses the key. While a dialog is open, only the keys in `inDialog` run.
export function connectShortcuts(shortcuts: Shortcut[], inDialog: string[]) {
  const actions = new Map<string, { run: () => void; repeats: boolean }>();
  for (const { keys, repeats = false } of shortcuts)
    for (const [key, run] of Object.entries(keys)) actions.set(key.toLowerCase(), { run, repeats });
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions.get(event.key.toLowerCase());
    if (!action || (event.target instanceof Element && usesKey(event.target, event.key))) return;
    if (document.querySelector('dialog[open]') && !inDialog.includes(event.key)) return;
    event.preventDefault();
    if (!event.repeat || action.repeats) action.run();
  });
}

// Runs an action when a button is pressed. A button pressed with a pointer gives up the focus, so that
// Space keeps its meaning as a shortcut; a button pressed from the keyboard keeps the focus.
export function connectButton(button: HTMLElement, action: () => void) {
  button.addEventListener('click', (event) => {
    if (event.detail > 0) button.blur();
    action();
  });
}
