// Returns the text with the characters replaced that have a meaning in HTML.
export const escapeText = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
