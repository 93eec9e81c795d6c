const minute = 60_000;
const hour = 60 * minute;

/** How far from now a time may be that belongs to this run. Records that are stored beforehand have other times. */
const farthest = 3 * 366 * 24 * hour;

/**
 * Puts names in the place of what differs from run to run: ids that were made, numbered in the order in which they
 * come, UUIDs, and times by their distance from now. The times of records that are stored beforehand lie years back,
 * and stay as they are.
 */
export function normalise(text: string, now = Date.now()): string {
  const ids = new Map<string, string>();
  const uuids = new Map<string, string>();
  return text
    .replaceAll(/(?:ObjectId\()?\b([0-9a-f]{24})\b\)?/g, (whole, id: string) => {
      if (Math.abs(Number.parseInt(id.slice(0, 8), 16) * 1000 - now) > farthest) return whole;
      if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
      return ids.get(id) as string;
    })
    .replaceAll(/UUID\(([\da-f-]{36})\)/g, (_, uuid: string) => {
      if (!uuids.has(uuid)) uuids.set(uuid, `<uuid ${uuids.size + 1}>`);
      return uuids.get(uuid) as string;
    })
    .replaceAll(/(?:Date\()?\b(\d{4}-\d\d-\d\dT[\d:.]+Z)\)?/g, (whole, date: string) => {
      const distance = Date.parse(date) - now;
      if (Math.abs(distance) > farthest) return whole;
      const hours = Math.round(distance / hour);
      if (Math.abs(distance - hours * hour) > 5 * minute) throw new Error(`normalise(): ${date} is no whole number of hours from now.`);
      return hours === 0 ? '<now>' : `<now ${hours > 0 ? '+' : '-'} ${Math.abs(hours)} h>`;
    });
}
