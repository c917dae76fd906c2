// The typeface of the page, Inter for Latin letters; other scripts have those of the device. It is
// loaded after the first screen, so that it delays nothing on a slow network.

export async function loadTypeface() {
  try {
    const reply = await fetch("/web/fonts/inter-latin.woff2", { credentials: "omit" });
    if (!reply.ok) return;
    const font = new FontFace("Inter", await reply.arrayBuffer(), { weight: "100 900" });
    document.fonts.add(await font.load());
  } catch {
    // The typeface of the device is used.
  }
}
