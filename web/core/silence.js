// Silence as a file. A browser lets a page play sound later if it has played something, even
// silence, at a touch.

/** @type {string | null} */
let address = null;

export function silenceURL() {
  address ??= URL.createObjectURL(silentFile());
  return address;
}

/** A second of silence as a WAV file. */
function silentFile() {
  const rate = 8000;
  const file = new DataView(new ArrayBuffer(44 + rate));
  const text = (/** @type {number} */ at, /** @type {string} */ word) => {
    [...word].forEach((letter, i) => file.setUint8(at + i, letter.charCodeAt(0)));
  };
  text(0, "RIFF");
  file.setUint32(4, 36 + rate, true);
  text(8, "WAVEfmt ");
  file.setUint32(16, 16, true); // size of the format
  file.setUint16(20, 1, true); // PCM
  file.setUint16(22, 1, true); // channels
  file.setUint32(24, rate, true);
  file.setUint32(28, rate, true); // bytes per second
  file.setUint16(32, 1, true); // bytes per frame
  file.setUint16(34, 8, true); // bits per sample
  text(36, "data");
  file.setUint32(40, rate, true);
  for (let i = 0; i < rate; i++) file.setUint8(44 + i, 128);
  return new Blob([file], { type: "audio/wav" });
}
