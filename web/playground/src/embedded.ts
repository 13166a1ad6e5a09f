// Returns the bytes of a file that is embedded in the page, in base64.
export function decode(id: string): Uint8Array<ArrayBuffer> {
  const binary = atob(document.getElementById(id)!.textContent!.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
