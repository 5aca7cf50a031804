// Two clients of ldpnb in JavaScript: k-RR (GRR) and local hashing (OLH).  For browsers, Node.js 20 or later and Deno.
//
// A client's numbers come from the package, which has rounded the probabilities: nothing here computes a probability.
// `chance` is where randomness comes from: SYSTEM on devices of people, a script where branches are replayed.

const GRID = 2 ** 53;

// The operating system's random words.
export const SYSTEM = {
  // True with probability threshold / 2**53, exactly.
  coin(threshold) {
    const [high, low] = crypto.getRandomValues(new Uint32Array(2));
    return (high >>> 11) * 2 ** 32 + low < threshold;
  },
  // One of 0, …, k − 1, all alike, for k up to 2**32.
  // Words at the end of the range, which would favour small results, are drawn again.
  below(k) {
    const end = 2 ** 32 - (2 ** 32 % k);
    for (;;) {
      const [word] = crypto.getRandomValues(new Uint32Array(1));
      if (word < end) return word % k;
    }
  },
};

function integer(x, least, most, name) {
  if (!Number.isSafeInteger(x) || x < least || x > most)
    throw new RangeError(`${name} must be an integer in [${least}, ${most}], got ${x}`);
  return x;
}

// A decimal string in [0, 2**53], which a number of JavaScript holds exactly.
function threshold(text, name) {
  if (typeof text !== "string" || !/^(0|[1-9][0-9]{0,15})$/.test(text) || BigInt(text) > BigInt(GRID))
    throw new RangeError(`${name} must be a decimal string, at most 2**53, got ${text}`);
  return Number(text);
}

// k-RR: keep the value, or report any of all, all alike.
// Everybody draws both, so that the draws tell nothing.
export class GRR {
  constructor({ k, keep }) {
    this.k = integer(k, 2, 2 ** 31, "k");
    this.keep = threshold(keep, "keep");
  }

  perturb(value, chance = SYSTEM) {
    integer(value, 0, this.k - 1, "value");
    const kept = chance.coin(this.keep);
    const blind = chance.below(this.k);
    return kept ? value : blind;
  }

  report(value, chance = SYSTEM) {
    return { report: this.perturb(value, chance) };
  }
}

// OLH: a public seed of three numbers, and k-RR on the value's slot.
export class OLH {
  constructor({ k, slots, prime, keep }) {
    this.prime = integer(prime, 5, 2 ** 31 - 1, "prime");
    this.k = integer(k, 2, prime, "k");
    this.slots = new GRR({ k: integer(slots, 2, prime, "slots"), keep });
  }

  // ((a v² + b v + c) mod p) · slots / p, rounded down.
  // Products need more than 53 bits, hence BigInt.
  slot(seed, value) {
    const [a, b, c] = seed.map(BigInt);
    const [v, p] = [BigInt(value), BigInt(this.prime)];
    const hash = (a * v * v + b * v + c) % p;
    return Number((hash * BigInt(this.slots.k)) / p);
  }

  report(value, chance = SYSTEM) {
    integer(value, 0, this.k - 1, "value");
    const seed = [0, 1, 2].map(() => chance.below(this.prime));
    const own = this.slot(seed, value);
    return { seed, slot: this.slots.perturb(own, chance) };
  }
}

// JSON lines for the server: the header that the package has for this mechanism, as its line or as the object that is
// read from it, and a line per report.
export function lines(header, reports) {
  const head = typeof header === "string" ? header : JSON.stringify(header);
  return [head, ...reports.map((report) => JSON.stringify(report))].map((line) => `${line}\n`).join("");
}
