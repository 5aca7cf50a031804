/* Which mechanism: the ranking of ldpnb.choose, computed in the reader's browser, for book/play.md.

   The closed forms are written down a second time here, since a page cannot run Python.  The browser test compares them
   with ldpnb.choose on a grid of questions, to nine digits, and so are the lines of Python and the points of the
   pictures.  No library, no request, nothing is stored or sent. */
"use strict";

(() => {
  // ------------------------------------------------------------------------------------------------ small numbers

  const GRID = 2 ** 53; // probabilities are rounded to multiples of its inverse, toward privacy, as the clients do
  const STEPS = 64; // of the grid on which a number is rounded
  const SLOTS = 2 ** 20; // of a wheel, at most
  const PRIME = 2 ** 31 - 1; // of the hash of OLH
  const LIMIT = { largest: 10 ** 6, long: 10 ** 5, short: 10 ** 4, most: 10 ** 4, means: 4096, keys: 12, cells: 2 ** 24, field: 1024, points: 2 ** 22 };

  const down = (x) => Math.floor(x * GRID) / GRID;
  const up = (x) => Math.ceil(x * GRID) / GRID;
  const part = (a, b) => (a < b ? down(a / (a + b)) : 1 - up(b / (a + b))); // a/(a+b), rounded down
  const square = (x) => x * x;
  const sum = (values) => values.reduce((total, x) => total + x, 0);
  const range = (from, to) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  const argmin = (values) => values.reduce((best, x, i) => (x < values[best] ? i : best), 0);
  const smallest = (options, key) => options[argmin(options.map(key))];
  const bits = (count) => { // of the numbers 0, …, count − 1; exact for any BigInt, and for numbers below 2**53
    const last = BigInt(count) - 1n;
    return last > 0n ? last.toString(2).length : 0;
  };
  const order = (k) => 2 ** bits(k);
  const choices = (n, r) => { // C(n, r) as a BigInt
    let found = 1n;
    for (let i = 1; i <= r; i++) found = (found * BigInt(n - r + i)) / BigInt(i);
    return found;
  };
  const bitsOfChoices = (n, r) => { // ⌈log₂ C(n, r)⌉
    if (Math.min(r, n - r) <= 64) return bits(choices(n, Math.min(r, n - r)));
    let log = 0;
    for (let i = 1; i <= r; i++) log += Math.log2((n - r + i) / i);
    return Math.ceil(log - 1e-7);
  };

  // -------------------------------------------------------------------------------------------- lines of Python

  const float = (x) => (Number.isInteger(x) && Math.abs(x) < 1e15 ? x.toFixed(1) : String(x));
  const call = (name, given) => `${name}(${Object.entries(given).filter(([, x]) => x !== undefined).map(([key, x]) => `${key}=${x}`).join(", ")})`;
  const same = (count, x) => (count > 8 ? `(${x},) * ${count}` : `(${Array(count).fill(x).join(", ")}${count === 1 ? "," : ""})`);
  const keyed = (count) => (count > 8 ? `tuple(f"key {i}" for i in range(1, ${count + 1}))` : `(${range(1, count).map((i) => `"key ${i}"`).join(", ")})`);

  // ------------------------------------------------------------------------------------------- the mechanisms' parts

  const truthful = (eps) => part(Math.exp(eps), 1);
  const twoPoint = (eps) => 1 / (2 * truthful(eps) - 1); // c = (e^ε + 1)/(e^ε − 1)
  const krr = (k, eps) => {
    const keep = part(Math.expm1(eps), k), q = (1 - keep) / k;
    return { p: keep + q, q, gap: keep, missed: ((1 - keep) * (k - 1)) / k };
  };
  const symmetric = (eps) => {
    const p = part(Math.exp(eps / 2), 1);
    return { p, q: 1 - p, gap: 2 * p - 1 };
  };
  const optimised = (eps) => {
    const q = up(1 / (Math.exp(eps) + 1));
    return { p: 0.5, q, gap: 0.5 - q };
  };
  const hadamard = (eps) => {
    const p = truthful(eps);
    return { p, q: 0.5, gap: p - 0.5 };
  };
  const hashed = (k, eps) => {
    const g = Math.min(Math.round(Math.exp(eps)) + 1, k);
    const low = Math.floor(PRIME / g), more = PRIME - low * g;
    const collision = ((g - more) * low * low + more * (low + 1) ** 2) / PRIME ** 2;
    const slot = krr(g, eps);
    return { g, p: slot.p, missed: slot.missed, q: collision * slot.p + (1 - collision) * slot.q, gap: (1 - collision) * slot.gap };
  };
  const largest = (items, most, limit) => { // size of the largest sets, at most `most`, that fit into a report
    if (limit === null || limit === undefined) return most;
    const room = 1n << BigInt(Math.min(limit, items)); // no set of so many items needs more bits
    let size = 1, ways = BigInt(items);
    while (size < most && (ways = (ways * BigInt(items - size)) / BigInt(size + 1)) <= room) size++;
    return size;
  };
  const firstBest = (options, variance) => { // the first of those that are the best to nine digits
    const found = options.map(variance), most = found.reduce((a, b) => Math.min(a, b)) * (1 + 1e-9);
    return options[found.findIndex((x) => x <= most)];
  };
  const sizeFor = (k, eps, share) => { // of sets, for an item of this share
    const e = Math.exp(eps), more = Math.expm1(eps);
    return firstBest(range(1, k - 1), (c) => {
      const all = c * e + k - c, p = (c * e) / all, q = (c * ((c - 1) * e + k - c)) / (all * (k - 1));
      const gap = (c * (k - c) * more) / (all * (k - 1));
      return (share * p * ((k - c) / all) + (1 - share) * q * (1 - q)) / square(gap);
    });
  };
  const subset = (k, eps, limit, share) => { // without a share, of the size that is best for all items together
    const e = Math.exp(eps), near = Math.floor(k / (e + 1));
    const risk = (c) => square((k - 1) * (c * e + k - c)) / (k * c * (k - c));
    const usual = smallest([Math.max(near, 1), near + 1], risk), best = share === undefined ? usual : sizeFor(k, eps, share);
    const c = largest(k, best, limit), p = part(c * e, k - c);
    const code = call("SubsetSelection", { k, epsilon: float(eps), size: c < best ? c : best === usual ? undefined : best });
    return { c, p, q: (c - p) / (k - 1), gap: (p * k - c) / (k - 1), code };
  };
  const powers = range(2, LIMIT.field).filter((q) => { // numbers of elements of a field: powers of one prime
    const p = range(2, q).find((x) => q % x === 0);
    while (q % p === 0) q /= p;
    return q === 1;
  });
  const points = (q, t) => sum(range(0, t).map((i) => q ** i));
  const design = (k, eps, limit, share) => { // blocks of the geometry with the least variance, of those that fit if one does
    const e = Math.exp(eps), all = powers.map((q) => {
      let t = 2;
      while (points(q, t) < k) t++;
      const v = points(q, t), size = points(q, t - 1), p = (size * e) / (size * e + v - size), other = (size - p) / (v - 1);
      const own = (v - size) / (size * e + v - size);
      return { order: q, v, size, variance: (share * p * own + (1 - share) * other * (1 - other)) / square(p - other) };
    });
    const right = all.filter(({ v }) => v <= LIMIT.points), few = right.filter(({ v }) => limit === null || limit === undefined || v <= 2 ** limit);
    const { order, v, size } = smallest(few.length ? few : right, ({ variance }) => variance);
    const keep = part(size * Math.expm1(eps), v), p = keep + ((1 - keep) * size) / v;
    return { order, v, p, q: (size - p) / (v - 1), gap: (keep * (v - size)) / (v - 1), missed: ((1 - keep) * (v - size)) / v };
  };
  const pure = ({ p, q, gap, missed = 1 - p }) => [(p * missed) / square(gap), (q * (1 - q)) / square(gap)];

  const response = (k, eps, blocks) => {
    const kappa = part(Math.expm1(eps), 2 * blocks), blind = (1 - kappa) / blocks / square(kappa);
    const inBlock = (Math.ceil(k / blocks) - 1) / (k - 1); // of the other items
    return { blocks, own: 1 / kappa + blind - 1, other: inBlock / kappa + blind };
  };
  const blocksFor = (k, eps, share) => { // of Hadamard response, all powers of two that it may have
    const more = Math.expm1(eps);
    return firstBest(range(0, bits(k)).map((i) => 2 ** i), (blocks) => {
      const keep = more / (more + 2 * blocks), blind = (2 * blocks) / (more + 2 * blocks), inside = (Math.ceil(k / blocks) - 1) / (k - 1);
      return blind / (blocks * square(keep)) + (share + (1 - share) * inside) / keep - share;
    });
  };

  const circle = (m, eps, least, total) => { // the best number of slots, and the chance of a covered one
    const e = Math.exp(eps), more = Math.expm1(eps);
    const most = Math.min(SLOTS, 4 * least * Math.floor(e + 4));
    const gap = (n) => (n - m) / (n * (n + m * more));
    let slots = least, found = Infinity;
    for (let n = least; n <= most; n++) {
      const noise = total(n, gap(n));
      if (noise < found) [slots, found] = [n, noise];
    }
    return { slots, alpha: down(e / (slots + m * more)) };
  };
  const wheel = (m, eps) => {
    const { slots, alpha } = circle(m, eps, m + 1, (n, gap) => (n - 1) / square(n * gap));
    return { slots, p: alpha, q: 1 / slots, gap: alpha - 1 / slots };
  };

  const privset = (d, ell, eps, limit, fixed = d) => {
    const e = Math.exp(eps), size = d + ell;
    let miss = 1, best = null;
    for (let kappa = 1; kappa <= fixed; kappa++) {
      miss *= (d - kappa + 1) / (size - kappa + 1);
      if (miss <= 1e-60) break;
      const inside = kappa / size, mu = (miss * kappa) / d;
      const told = e * (inside - mu) + mu, untold = e * (1 - miss - inside + mu) + miss - mu;
      const noise = (told * untold) / square(mu);
      if (best === null || noise < best.noise || (kappa === fixed && fixed < d)) best = { noise, kappa, miss, mu, inside };
    }
    const fits = largest(size, best.kappa, limit);
    if (fits < best.kappa) return privset(d, ell, eps, null, fits);
    const { kappa, mu, inside } = best, omega = e * (1 - best.miss) + best.miss;
    return { kappa, cut: fixed < d ? kappa : undefined, p: (inside * e) / omega, q: (e * (inside - mu) + mu) / omega, gap: (mu * Math.expm1(eps)) / omega };
  };

  // -------------------------------------------------------------------------------------------------------- numbers

  const piecewise = (eps, width, steps = STEPS) => { // second moments at the points, and the number of cells
    const e = Math.exp(eps), more = Math.expm1(eps), total = e * width + steps, last = steps + width - 1;
    const slope = total / (more * width * steps);
    const below = [0]; // running sums of the squares of the scores
    for (let y = 0; y <= last; y++) below.push(below[y] + square(slope * (2 * y - last)));
    const moments = range(0, steps).map((i) => (below[last + 1] + more * (below[i + width] - below[i])) / total);
    return { moments, cells: last + 1 };
  };
  const hybrid = (eps, width) => {
    const one = piecewise(eps, width), sign = square(twoPoint(eps)), more = Math.expm1(eps);
    const share = (more * width) / (Math.exp(eps) * width + STEPS);
    if (share * (sign - one.moments[0]) + 1 <= 1 / square(STEPS)) return { moments: [sign, sign], cells: 2 };
    return { moments: one.moments.map((x) => share * x + (1 - share) * sign), cells: one.cells + 2 };
  };
  const laplace = (eps) => {
    const a = Math.exp(-eps / STEPS), tail = 1 / Math.expm1(eps / STEPS);
    const score = (y) => (2 * y) / STEPS - 1;
    const moments = range(0, STEPS).map((i) => {
      const ends = (a ** i * square(score(-tail)) + a ** (STEPS - i) * square(score(STEPS + tail))) / (1 + a);
      const inner = range(1, STEPS - 1).map((y) => ((1 - a) / (1 + a)) * a ** Math.abs(y - i) * square(score(y)));
      return ends + sum(inner);
    });
    return { moments, cells: STEPS + 1 };
  };
  const worst = (moments) => { // largest E[score² | t] − t², linear in between the points
    const steps = moments.length - 1, at = (i) => (2 * i) / steps - 1;
    const within = range(0, steps - 1).map((i) => {
      const slope = ((moments[i + 1] - moments[i]) * steps) / 2;
      const t = Math.min(Math.max(slope / 2, at(i)), at(i + 1));
      return moments[i] + slope * (t - at(i)) - square(t);
    });
    return Math.max(...within, moments[steps] - 1);
  };
  const widest = (kind, eps) => {
    const made = range(1, 2 * STEPS).map((width) => ({ ...kind(eps, width), width }));
    return smallest(made, (one) => worst(one.moments));
  };
  const meanest = (d, eps) => { // B, from binomial coefficients over the middle one
    const ways = new Array(d + 1).fill(0), middle = Math.floor(d / 2);
    ways[middle] = 1;
    for (let a = middle; a < d; a++) ways[a + 1] = (ways[a] * (d - a)) / (a + 1);
    for (let a = middle; a > 0; a--) ways[a - 1] = (ways[a] * a) / (d - a + 1);
    const more = Math.expm1(eps), favoured = range(0, d).filter((a) => 2 * a > d);
    const total = sum(ways) + more * sum(favoured.map((a) => ways[a]));
    return (d * total) / (more * sum(favoured.map((a) => (2 * a - d) * ways[a])));
  };

  // ------------------------------------------------------------------------------------------------- the questions

  const UNLISTED = "the client must know the list";
  const counted = (private_, public_, limits) => private_ + (limits.public_free ? 0 : public_);
  const fitting = (options, parts, limits) => { // those whose reports fit, or all if none does
    const fit = options.filter((one) => limits.bits === null || counted(...parts(one), limits) <= limits.bits);
    return fit.length ? fit : options;
  };
  const mix = ([own, other], share) => ({ share: share * own + (1 - share) * other });
  const row = (name, why, made) => ({ name, why, listed: true, server: "report", ...made });
  const bars = (name, why, made = {}) => row(name, why, { barred: true, ...made });
  const beyond = (name, why, limit, made = {}) => bars(name, `${why}; at most ${limit}`, made);
  const open = { listed: false, server: "report and item", public: 96 };
  const each = { server: "report and item" };

  const item = ({ k, epsilon: eps, share, bits: limit }) => {
    const named = (name, more = {}) => call(name, { k, epsilon: float(eps), ...more });
    const answer = (support) => mix(pure(support), share);
    const set = k <= LIMIT.long ? subset(k, eps, limit, share) : null, slots = hashed(k, eps), circled = wheel(1, eps);
    const responds = response(k, eps, blocksFor(k, eps, share));
    const block = order(Math.ceil(k / responds.blocks) + 1);
    const bit = { variances: answer(hadamard(eps)), private: 1, public: bits(order(k)) }, blocks = design(k, eps, limit, share);
    const sized = "least total error of all; names a set of items";
    const cohorts = Math.max(2, Math.ceil((4 * k) / 31));
    return [
      row("k-RR", "names one item", { variances: answer(krr(k, eps)), private: bits(k), public: 0, code: named("GRR") }),
      set
        ? row("k-Subset", sized, { variances: answer(set), private: bitsOfChoices(k, set.c), public: 0, code: set.code, ...each })
        : beyond("k-Subset", sized, `k = ${said(LIMIT.long)}`),
      row("OUE", "a bit for each item", { variances: answer(optimised(eps)), private: k, public: 0, code: named("OUE"), ...each }),
      row("SUE", "a bit for each item, as RAPPOR has it", { variances: answer(symmetric(eps)), private: k, public: 0, code: named("SUE"), ...each }),
      row("OLH", "a slot of a public hash", { variances: answer(slots), private: bits(slots.g), public: 3 * bits(PRIME), code: named("OLH"), ...each }),
      row("Hadamard bit", "one private bit", { ...bit, code: named("HadamardBit") }),
      row("Hadamard response", "short, without a public part", { variances: mix([responds.own, responds.other], share), private: bits(responds.blocks * block), public: 0, code: named("HadamardResponse", { blocks: responds.blocks }) }),
      row("block design", "short, and as good as the best set of items, or nearly", { variances: answer(blocks), private: bits(blocks.v), public: 0, code: named("BlockDesign", { q: blocks.order }) }),
      row("wheel", "any strings; the client needs no list", { variances: mix(pure(circled), share), private: bits(circled.slots), code: call("Wheel", { epsilon: float(eps), m: 1 }), ...open }),
      bars("S-Hist", "its random table adds an error that no number of people averages away"),
      bars("PCE", "for people who choose their own ε", bit),
      bars("RAPPOR", "for strings; variance(values, items) has its error, hash by hash", { private: 32, public: bits(cohorts), listed: false }),
      bars("O-RR", "for strings; variance(values, items) has its error, hash by hash", { private: 5, public: bits(cohorts), listed: false }),
      bars("RAPPOR-Unknown", "for strings that nobody can list; no closed form for the whole"),
      bars("matrix", "for a channel of your own, as ldpnb.numbers finds them"),
    ];
  };

  const drawn = (support, ell, share) => { // one of ell items is drawn, and scores are multiplied by ell
    const { q, gap } = support, scale = square(ell) / square(gap), yes = q + gap / ell;
    return mix([scale * yes * (1 - yes), scale * q * (1 - q)], share);
  };
  const amplified = (d, ell, eps, cells) => {
    const keep = part(ell * Math.expm1(eps), cells), q = (1 - keep) / cells;
    return { q, gap: keep, p: keep + q };
  };
  const sets = ({ d, m, epsilon: eps, share, bits: limit }) => {
    const set = d <= LIMIT.short ? privset(d, m, eps, limit) : null, circled = wheel(m, eps);
    const spoken = "a set of items about the whole set", named = (name, more = {}) => call(name, { d, ell: m, epsilon: float(eps), ...more });
    return [
      row("sampled k-RR", "names one item", { variances: drawn(amplified(d, m, eps, d + m), m, share), private: bits(d + m), public: 0, code: named("SampledGRR") }),
      set
        ? row("PrivSet", spoken, { variances: mix(pure(set), share), private: bitsOfChoices(d + m, set.kappa), public: 0, code: named("PrivSet", { size: set.cut }), ...each })
        : beyond("PrivSet", spoken, `d = ${said(LIMIT.short)}`),
      row("wheel", "any strings; the client needs no list", { variances: mix(pure(circled), share), private: bits(circled.slots), code: call("Wheel", { epsilon: float(eps), m }), ...open }),
      row("sampled S-Hist", "one private bit about one item of the set", { variances: drawn(hadamard(eps), m, share), private: 1, public: bits(order(Math.max(d, 2))), code: named("SampledHadamardBit") }),
      row("sampled RAPPOR", "a bit for each item, about one item of the set", { variances: drawn(symmetric(eps), m, share), private: d, public: 0, code: named("SampledSUE"), ...each }),
    ];
  };
  const frequent = (question) => {
    const { d, m, candidates, epsilon: eps, share } = question;
    const why = "the error is on a fixed list; that the right items come onto it has no closed form";
    const phases = (name, reports) => {
      const once = reports === 1, spent = hadamard(eps / reports), padded = once ? Math.min(m, candidates) : candidates;
      const rare = [m, padded].map((ell) => drawn(spent, ell, 0).share);
      const weight = once ? rare[0] / (rare[0] + rare[1]) : 1;
      const [before, after] = [m, padded].map((ell) => drawn(spent, ell, share).share);
      const variance = (once ? 2 : 1) * (square(1 - weight) * before + square(weight) * after);
      const rows = [d, candidates].map((size) => bits(order(Math.max(size, 2))));
      return bars(name, why, { variances: { share: variance }, private: reports, public: once ? Math.max(...rows) : sum(rows) });
    };
    return [...sets(question), phases("GFIM", 1), phases("LDPMiner", 2)];
  };

  const number = ({ epsilon: eps }) => {
    const told = (name, { moments, cells, width }) => ({ variances: { mean: worst(moments) }, private: bits(cells), public: 0, listed: false, code: call(name, { epsilon: float(eps), width }) });
    return [
      row("two points", "one private bit", told("TwoPoint", piecewise(eps, 1, 1))),
      row("Hybrid", "the same error wherever the number is", told("Hybrid", widest(hybrid, eps))),
      row("Piecewise", "better in the middle of the range", told("Piecewise", widest(piecewise, eps))),
      row("Laplace, cut", "noise of a size that is known to all", told("Laplace", laplace(eps))),
    ];
  };
  const numbers = ({ d, epsilon: eps, ...limits }) => {
    const asked = fitting(range(1, Math.max(1, Math.min(d, Math.floor(eps)))), (count) => [count, bits(choices(d, count))], limits);
    const harmony = asked.map((count) => (d / count) * square(twoPoint(eps / count))), count = asked[argmin(harmony)];
    const several = Math.max(1, Math.min(d, Math.floor(eps / 2.5))), spent = eps / several;
    const one = hybrid(spent, Math.max(1, Math.round(STEPS / Math.exp(spent / 2))));
    const mean = (variance, private_, public_, name, more = {}) => ({ variances: { mean: variance }, private: private_, public: public_, listed: false, code: call(name, { epsilon: float(eps), d, ...more }) });
    const all = "a bit for each number, all at once";
    return [
      row("Harmony", "one private bit for each number asked about", mean(Math.min(...harmony), count, bits(choices(d, count)), "HarmonyMean", { count: count > 1 ? count : undefined })),
      row("sampled Hybrid", "several cells where ε is large", mean(worst(one.moments.map((x) => (d / several) * x)), bits(BigInt(one.cells) ** BigInt(several)), bits(choices(d, several)), "SampledHybrid")),
      d <= LIMIT.means
        ? row("MeanEst", all, { ...mean(square(meanest(d, eps)), d, 0, "MeanEst"), ...each })
        : beyond("MeanEst", all, `d = ${said(LIMIT.means)}`, { listed: false }),
    ];
  };

  const pairs = ({ d, m, epsilon: eps, share: f }) => {
    const told = ({ sum: gain, difference, b, asked = 1, w = 1 }) => { // the signed ternary calculus, values of mean 0
      const t = gain * w, s = square(difference * w);
      const drawn = (1 / asked - 1) * square(f); // what is gained by dividing by the number asked
      const rate = (asked * b * (1 - b)) / square(t) + (f * (1 - 2 * b)) / t - f - drawn, product = (asked * b) / s + (f * t) / s;
      const variances = { share: rate, "share × mean": product };
      return f > 0 ? { ...variances, mean: product / square(f) } : variances;
    };
    const state = (keep) => ({ sum: keep, difference: keep, b: (2 * (1 - keep)) / 3 });
    const least = Math.max(m, 2) + 1;
    const circled = circle(m, eps, least, (n, gap) => {
      const t = (gap * (n - 2)) / (n - 1), s = (gap * n) / (n - 1);
      return (2 / n) * ((1 - 2 / n) / square(t) + 1 / square(s));
    });
    const n = circled.slots, more = circled.alpha - 1 / n;
    const { gap: keep, q } = amplified(d, m, eps, 2 * (d + m));
    const p = truthful(eps), speak = up((2 * p) / (Math.exp(eps) + 2 * p));
    const p1 = part(1 + Math.expm1(eps) / 2, 1);
    const triples = (keys) => Math.floor(keys * Math.log2(3)) + 1; // 3^keys is no power of two
    const one = { asked: 1 / d, w: 1 / d }, named = (name, more = {}) => call(name, { d, epsilon: float(eps), ...more });
    return [
      row("Wheel-KV", "any strings; the client needs no list", { variances: told({ sum: (more * (n - 2)) / (n - 1), difference: (more * n) / (n - 1), b: 2 / n }), private: bits(n), code: call("WheelKV", { epsilon: float(eps), m }), ...open }),
      row("PCKV-GRR", "names one pair of one's own", { variances: told({ sum: keep, difference: keep, b: 2 * q, w: 1 / m }), private: bits(2 * (d + m)), public: 0, code: named("PCKVGRR", { ell: m }) }),
      row("PCKV-UE", "an answer for each key, about one pair of one's own", { variances: told({ sum: 0.5 - speak, difference: p - 0.5, b: speak, w: 1 / m }), private: triples(d + m), public: 0, code: named("PCKVUE", { ell: m }), ...each }),
      row("SE", "three states of one public key", { variances: told({ ...state(krr(3, eps).gap), ...one }), private: 2, public: bits(d), code: named("StateEncoding") }),
      row("PrivKV", "one public key, with a part of ε for the sign", { variances: told({ sum: 2 * p1 - 1, difference: p1 * (2 * p - 1), b: 1 - p1, ...one }), private: 2, public: bits(d), code: `PrivKV.tight_split(${d}, ${float(eps)})` }),
      row("SE, all keys", "the states of all keys, each with a part of ε", { variances: told(state(part(Math.expm1(eps / d), 3))), private: triples(d), public: 0, code: named("StateEncodingSplit"), ...each }),
    ];
  };

  const LINEAR = { // variance of the sum of the scores of `ones` of k items, for a person who holds one of them or not
    "k-RR": (k, eps, ones, own) => {
      const { q, gap } = krr(k, eps), mean = ones / k;
      return (q / square(gap)) * (ones * (1 - mean) + k * gap * square(own - mean));
    },
    "k-Subset": (k, eps, ones, own) => {
      const { c, p, gap } = subset(k, eps), others = k - 1, w = own - ones / k;
      const spread = (ones * (1 - ones / k) - square(w)) / others - square(w / others);
      const within = p * (c - 1) * (others - c + 1) + (1 - p) * c * (others - c);
      return ((within / Math.max(others - 1, 1)) * spread + p * (1 - p) * square((w * k) / others)) / square(gap);
    },
    OUE: (k, eps, ones, own) => {
      const [held, other] = pure(optimised(eps));
      return other * ones + (held - other) * own;
    },
    "Hadamard bit": (k, eps, ones, own) => square(twoPoint(eps)) * ones - own,
  };
  const oracle = (name, k, eps) =>
    ({
      "k-RR": () => ({ private: bits(k), public: 0, code: call("GRR", { k, epsilon: float(eps) }) }),
      "k-Subset": () => ({ private: bitsOfChoices(k, subset(k, eps).c), public: 0, code: subset(k, eps).code, ...each }),
      OUE: () => ({ private: k, public: 0, code: call("OUE", { k, epsilon: float(eps) }), ...each }),
      "Hadamard bit": () => ({ private: 1, public: bits(order(k)), code: call("HadamardBit", { k, epsilon: float(eps) }) }),
    })[name]();
  const correlation = ({ d, epsilon: eps, share }) => {
    const asked = (d * (d - 1)) / 2, whole = "all combinations of all keys";
    const both = (name, k, ones, drawnPairs) => {
      const of = (own) => drawnPairs * LINEAR[name](k, eps, ones, own);
      return { both: share * of(1) + (1 - share) * of(0) + (drawnPairs - 1) * share * (1 - share) };
    };
    return Object.keys(LINEAR).flatMap((name) => {
      const cells = 3 ** d, pair = oracle(name, 9, eps), most = name === "k-Subset" ? 10 : LIMIT.keys;
      const over = (kind, made) => ({ ...made, code: call(kind, { keys: keyed(d), oracle: made.code }) });
      const all =
        d > most
          ? beyond(`IOH, ${name}`, whole, `d = ${most}`)
          : row(`IOH, ${name}`, whole, { variances: both(name, cells, (4 * cells) / 9, 1), ...over("IOH", oracle(name, cells, eps)) });
      const some = { variances: both(name, 9, 4, asked), ...over("PairSampling", pair), public: bits(asked) + pair.public };
      return [all, row(`pairs, ${name}`, "one public pair of keys a person", some)];
    });
  };

  const blocks = ({ d, k, epsilon: eps, share, ...limits }, attributes) => {
    const why = "k-RR on a public block of attributes";
    const made = (size) => {
      const keep = krr(k ** size, eps).gap, asked = size / d;
      const told = (f, cells) => (1 - keep) / cells + keep * f;
      const pooled = (chance, value) => (value * (1 - value)) / (chance * square(keep)) - share * (1 - share);
      if (attributes === 1) return { size, variance: pooled(asked, told(share, k)) };
      // a cell from blocks with both attributes, and their shares from all blocks with one: see Blocks.pair_tables
      const both = (size * (size - 1)) / (d * (d - 1)), rest = (1 - share) / (square(k) - 1);
      const cell = told(share, square(k)), value = told(share + (k - 1) * rest, k);
      const a = 1 / (keep * both), alone = 1 / (keep * asked * k), b = alone - a / k;
      const squares = square(a) * cell + 2 * square(b) * value + 2 * (2 * a * b + square(b)) * cell;
      const joint = squares - square(a * cell + 2 * b * value), single = square(alone) * value * (1 - value);
      const apart = both * joint + 2 * (asked - both) * single - share * (1 - share);
      return { size, variance: Math.min(apart, pooled(both, cell)) };
    };
    const possible = range(2, d).filter((size) => Number(choices(d, size)) * k ** size <= LIMIT.cells);
    const sizes = fitting(possible, (size) => [bits(k ** size), bits(choices(d, size))], limits);
    if (!sizes.length) return beyond("blocks", why, `${said(LIMIT.cells)} cells of a tally`);
    let best = made(sizes[0]);
    for (const size of sizes.slice(1)) { // larger ones as long as that makes the error smaller
      const larger = made(size);
      if (larger.variance >= best.variance) break;
      best = larger;
    }
    return row("blocks", why, { variances: { share: best.variance }, private: bits(k ** best.size), public: bits(choices(d, best.size)), code: call("Blocks", { sizes: same(d, k), size: best.size, epsilon: float(eps) }) });
  };
  const drawnOne = ({ n, d, k, epsilon, share, ...limits }, attributes) => { // the best oracle for what is drawn in public
    const draws = Number(choices(d, attributes)), left = limits.bits - (limits.public_free ? 0 : bits(draws));
    const first = (limit) => rank("item", { n: 1, k: k ** attributes, epsilon, share, listed: true, public_free: limits.public_free, bits: limit })[0];
    const fits = limits.bits !== null && left > 0 ? first(left) : null, best = fits && !fits.excluded ? fits : first(null);
    const variance = draws * square(best.error) + (draws - 1) * share * (1 - share);
    return row(`one ${attributes === 1 ? "attribute" : "pair"}, ${best.name}`, "drawn by each person in public, and answered with all of ε", {
      variances: { share: variance }, private: best.private, public: best.public + bits(draws), server: best.server,
      code: call("DrawnAttributes", { sizes: same(d, k), order: attributes > 1 ? attributes : undefined, oracle: best.code }),
    });
  };
  const marginals = (question) => {
    const { d, k, epsilon: eps, share } = question;
    const flipped = "a bit for each value, with a part of ε for each attribute";
    const s = Math.exp(eps / (2 * d)), flips = s / square(Math.expm1(eps / (2 * d)));
    return [
      row("Harmony", "one private bit about one public attribute", { variances: { share: d * square(twoPoint(eps)) - share - (d - 1) * square(share) }, private: 1, public: bits(d) + bits(order(k)), code: call("HarmonyFrequency", { sizes: same(d, k), epsilon: float(eps) }) }),
      blocks(question, 1),
      d * k ** 2 <= LIMIT.largest
        ? row("bit flips", flipped, { variances: { share: flips }, private: d * k, public: 0, code: call("BitFlip", { sizes: same(d, k), f: `flip_for(${float(eps)}, ${2 * d})` }), ...each })
        : beyond("bit flips", flipped, `d·k² = ${said(LIMIT.largest)}`),
      bars("Bloom filters", "for more values than bits; its error depends on the hashes"),
      drawnOne(question, 1),
    ];
  };
  const crosstabs = (question) => {
    const { d, k, epsilon: eps, share } = question;
    const asked = (d * (d - 1)) / 2, cells = k ** 2, one = "one private bit about the cell of one public pair";
    const fitted = "tables of pairs are fitted (ldpnb.attributes), which has no closed form";
    return [
      asked * cells <= LIMIT.largest
        ? row("Harmony, pairs", one, { variances: { share: asked * square(twoPoint(eps)) - share - (asked - 1) * square(share) }, private: 1, public: bits(asked) + bits(order(cells)), code: call("HarmonyFrequency", { sizes: same(asked, cells), epsilon: float(eps) }) })
        : beyond("Harmony, pairs", one, `${said(LIMIT.largest)} cells of all pairs`),
      blocks(question, 2),
      bars("bit flips", fitted),
      bars("Bloom filters", fitted),
      drawnOne(question, 2),
    ];
  };

  // ----------------------------------------------------------------------------------------------- fields and rules

  const said = (x) => x.toLocaleString("en-US");
  const whole = (label, least, most, usual, hint = "") => ({ label, least, most, usual, hint, integer: true });
  const share = (usual, hint) => ({ label: "Share f of the people", least: 0, most: 1, usual, hint });
  const listed = (what) => ({ label: `The clients know the list of ${what}`, usual: true, flag: true });
  const COMMON = {
    n: whole("People n", 1, 2 ** 53 - 1, 100000, "whose reports are collected"),
    epsilon: { label: "Privacy budget ε", least: 0.01, most: 16, usual: 1, hint: "of all that a person sends" },
  };
  const LAST = {
    bits: { ...whole("Most bits of a report", 1, 2 ** 53 - 1, null, "empty: any number"), optional: true },
    public_free: { label: "The public part of a report does not count", usual: false, flag: true },
  };
  const rare = "who hold it; 0 is a rare one";
  const end = (label, usual) => ({ label, least: -1e12, most: 1e12, usual, hint: "of the numbers; the error of the mean is in their unit" });
  const ENDS = { low: end("From", -1), high: end("To", 1) };
  const TASKS = {
    item: {
      label: "One item of a list", rank: item, what: "share of an item",
      fields: { k: whole("Items k", 2, LIMIT.largest, 1024), share: share(0, rare), listed: listed("items") },
    },
    sets: {
      label: "A set of items", rank: sets, what: "share of people who hold an item",
      fields: { d: whole("Items d", 1, LIMIT.largest, 1000), m: whole("Items a person m", 1, LIMIT.most, 8, "at most; no more than d"), share: share(0, rare), listed: listed("items") },
    },
    frequent: {
      label: "The most frequent items of sets", rank: frequent, what: "share of people who hold an item",
      fields: { d: whole("Items d", 1, LIMIT.largest, 1000), m: whole("Items a person m", 1, LIMIT.most, 8, "at most; no more than d"), candidates: whole("Candidates", 1, LIMIT.largest, 20, "of a second phase; no more than d"), share: share(0, rare), listed: listed("items") },
    },
    number: { label: "One number", rank: number, what: "mean of numbers, the worst ones", fields: ENDS },
    numbers: {
      label: "Several numbers", rank: numbers, what: "each mean of numbers, the worst ones",
      fields: { d: whole("Numbers a person d", 2, LIMIT.largest, 10), ...ENDS },
    },
    pairs: {
      label: "Keys with values", rank: pairs, what: "share of people who hold a key, and share times mean value, together",
      fields: { d: whole("Keys d", 1, LIMIT.largest, 1000), m: whole("Keys a person m", 1, LIMIT.most, 8, "at most; no more than d"), share: share(0.1, "who hold the key"), ...ENDS, listed: listed("keys") },
    },
    correlation: {
      label: "How keys go together", rank: correlation, what: "share of people who hold both of two keys",
      fields: { d: whole("Keys d", 2, 1000, 4), share: share(0, "who hold both; 0 is a rare pair") },
    },
    marginals: {
      label: "Several attributes, one by one", rank: marginals, what: "share of one value of one attribute",
      fields: { d: whole("Attributes d", 2, 100, 16), k: whole("Values of each k", 2, 1000, 4), share: share(0, "who have the value") },
    },
    crosstabs: {
      label: "Several attributes, two by two", rank: crosstabs, what: "share of one cell of the table of two attributes",
      fields: { d: whole("Attributes d", 2, 100, 16), k: whole("Values of each k", 2, 1000, 4), share: share(0, "in the cell") },
    },
  };
  const EXAMPLES = { // buttons, not links: the theme reads the # of every link as a selector, which these are not
    "A thousand items in at most twelve bits": "task=item&k=1000&bits=12",
    "Sets of strings that no client can list": "task=sets&d=100000&m=5&listed=false",
    "Ten yes-or-no questions, two by two": "task=crosstabs&n=20000&epsilon=2&d=10&k=2",
  };
  const fieldsOf = (task) => { // those to be ticked come last
    const all = Object.entries({ ...COMMON, ...TASKS[task].fields, ...LAST });
    return Object.fromEntries([...all.filter(([, field]) => !field.flag), ...all.filter(([, field]) => field.flag)]);
  };

  const read = (name, field, text) => { // a value, or a rule that it breaks
    if (field.flag) return { value: text === true || text === "true" };
    const trimmed = String(text).trim();
    if (field.optional && trimmed === "") return { value: null };
    const rule = `${name} must be ${field.integer ? "a whole number" : "a number"} from ${said(field.least)} to ${said(field.most)}`;
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : NaN;
    const wrong = !Number.isFinite(value) || value < field.least || value > field.most || (field.integer && !Number.isInteger(value));
    return wrong ? { rule: `${rule}, got ${trimmed === "" ? "nothing" : trimmed}` } : { value };
  };
  const readAll = (task, texts) => {
    const question = {}, rules = {};
    for (const [name, field] of Object.entries(fieldsOf(task))) {
      const { value, rule } = read(name, field, texts[name] ?? field.usual ?? "");
      if (rule) rules[name] = rule;
      else question[name] = value;
    }
    for (const name of ["m", "candidates"])
      if (name in question && question.d && question[name] > question.d)
        rules[name] = `${name} must be at most d = ${said(question.d)}, got ${said(question[name])}`;
    if (question.high <= question.low) rules.high = `high must be above low = ${said(question.low)}, got ${said(question.high)}`;
    return { question, rules };
  };

  const rank = (task, question) => {
    const choices = TASKS[task].rank(question).map((one) => {
      const unit = (what) => (what === "mean" ? (question.high - question.low) / 2 : 1);
      const errors = Object.fromEntries(Object.entries(one.variances ?? {}).map(([what, v]) => [what, unit(what) * Math.sqrt(v / question.n)]));
      const values = Object.values(errors);
      const error = values.length === 0 ? Infinity : task === "pairs" ? Math.sqrt(square(values[0]) + square(values[1])) : values[0];
      let why = one.why, excluded = Boolean(one.barred);
      if (!excluded && one.listed && question.listed === false) [why, excluded] = [UNLISTED, true];
      const sent = counted(one.private, one.public, question);
      if (!excluded && question.bits !== null && sent > question.bits)
        [why, excluded] = [`a report has ${said(sent)} bits, ${said(question.bits)} are allowed`, true];
      return { name: one.name, errors, error, private: one.private, public: one.public, server: one.server, listed: one.listed, excluded, why, code: one.code ?? "" };
    });
    const rounded = ({ error }) => Number(error.toPrecision(9));
    const length = (one) => counted(one.private, one.public, question);
    const before = (a, b) => rounded(a) - rounded(b) || length(a) - length(b);
    return [...choices.filter((one) => !one.excluded).sort(before), ...choices.filter((one) => one.excluded)];
  };

  // ----------------------------------------------------------------------------- the same question, in Python and drawn

  const KINDS = { item: "Item", sets: "Sets", frequent: "Frequent", number: "OneNumber", numbers: "Vector", pairs: "Pairs", correlation: "Correlation", marginals: "Marginals", crosstabs: "Crosstabs" };
  const line = (task, question) => { // what is as usual is left out, but for the size of the question
    const given = {};
    for (const [name, field] of Object.entries(fieldsOf(task))) {
      const value = question[name];
      if (name === "epsilon") given[name] = float(value);
      else if (field.flag && value !== field.usual) given[name] = value ? "True" : "False";
      else if (!field.flag && value !== null && (field.integer || value !== field.usual)) given[name] = value;
    }
    return `choose.${call(KINDS[task], given)}.rank()`;
  };

  const CURVES = 4; // mechanisms in a picture
  const family = (name) => name.replace(/^(one \w+), .*/, "$1"); // its oracle may be another one at another ε
  const curves = (task, question, ranked) => { // errors of the best ones against ε and against n; null where one is excluded
    const { n, epsilon } = question, names = ranked.slice(0, CURVES).map((one) => family(one.name));
    const budgets = range(-8, 8).map((i) => epsilon * 2 ** ((3 * i) / 8)).filter((x) => x >= COMMON.epsilon.least && x <= COMMON.epsilon.most);
    const at = budgets.map((x) => rank(task, { ...question, epsilon: x }));
    const found = (choices, name) => choices.find((one) => !one.excluded && family(one.name) === name)?.error ?? null;
    const peoples = [...new Set(range(-4, 4).map((i) => Math.min(Math.max(1, Math.round(n * 10 ** (i / 2))), COMMON.n.most)))];
    return [
      { by: "epsilon", x: budgets, names, errors: names.map((name) => at.map((choices) => found(choices, name))) },
      { by: "n", x: peoples, names, errors: names.map((name) => peoples.map((m) => found(ranked, name) * Math.sqrt(n / m))) },
    ];
  };

  // ------------------------------------------------------------------------------------------------------- the page

  const make = (tag, options = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    element.append(...children);
    return element;
  };
  const shown = (x, what) => { // three digits; shares in percentage points
    if (!Number.isFinite(x)) return "—";
    const [size, unit] = what === "mean" ? [x, ""] : [100 * x, " points"];
    return (size >= 1000 ? said(Math.round(size)) : Number(size.toPrecision(3)).toString()) + unit;
  };
  const SVG = "http://www.w3.org/2000/svg";
  const draw = (tag, options, ...children) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(options)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const ticks = (low, high) => { // of a logarithmic axis: 1, 2 and 5, or powers of ten where these are enough
    const decades = range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))).map((i) => Number(`1e${i}`));
    const inside = (all) => all.filter((x) => x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9));
    const few = inside(decades);
    if (few.length > 6) return few.filter((_, i) => i % Math.ceil(few.length / 5) === 0);
    return few.length > 3 ? few : inside(decades.flatMap((x) => [1, 2, 5].map((m) => Number((m * x).toPrecision(1)))));
  };
  const brief = (x) => (x >= 1e6 || x < 1e-3 ? x.toExponential(0).replace("e+", "e") : said(x));
  const picture = ({ by, x, names, errors }, question, unit) => {
    const [width, height, left, right, top, bottom] = [350, 250, 46, 122, 26, 44], scale = unit === "mean" ? 1 : 100;
    const here = question[by], label = by === "n" ? "people n" : "ε", values = errors.flat().filter((e) => e !== null).map((e) => e * scale);
    const [low, high] = [Math.min(...values), Math.max(...values)].map((e, i) => e * (i ? 1.15 : 1 / 1.15));
    const [from, to] = [x[0], x[x.length - 1]], across = (v) => left + ((width - left - right) * Math.log(v / from)) / (Math.log(to / from) || 1);
    const upward = (e) => height - bottom - ((height - top - bottom) * Math.log(e / low)) / Math.log(high / low);
    const what = unit === "mean" ? "standard error" : "standard error, points";
    const ends = names.map((name, i) => {
      const last = errors[i].findLastIndex((e) => e !== null);
      return { name, i, at: last < 0 ? null : [across(x[last]), upward(errors[i][last] * scale)] };
    }).filter(({ at }) => at);
    const told = ends.map(({ name, i }) => {
      const known = x.map((v, j) => [v, errors[i][j]]).filter(([, e]) => e !== null), [first, last] = [known[0], known[known.length - 1]];
      return `${name} from ${shown(first[1], unit)} at ${Number(first[0].toPrecision(3))} to ${shown(last[1], unit)} at ${Number(last[0].toPrecision(3))}`;
    });
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Lines of the ${what} against ${label}, on logarithmic axes: ${told.join("; ")}.` });
    for (const v of ticks(from, to)) svg.append(draw("line", { class: "grid", x1: across(v), x2: across(v), y1: top, y2: height - bottom }), draw("text", { x: across(v), y: height - bottom + 15, "text-anchor": "middle" }, brief(v)));
    for (const e of ticks(low, high)) svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: upward(e), y2: upward(e) }), draw("text", { x: left - 5, y: upward(e) + 4, "text-anchor": "end" }, brief(e)));
    svg.append(
      draw("text", { x: 2, y: 12 }, what),
      draw("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, label),
      draw("line", { class: "here", x1: across(here), x2: across(here), y1: top, y2: height - bottom }),
    );
    errors.forEach((row, i) => {
      let path = "";
      row.forEach((e, j) => { path += e === null ? "" : `${j && row[j - 1] !== null ? "L" : "M"}${across(x[j]).toFixed(1)} ${upward(e * scale).toFixed(1)}`; });
      svg.append(draw("path", { class: `curve curve-${i}`, d: path }));
    });
    const placed = [...ends].sort((a, b) => a.at[1] - b.at[1]), gap = 15; // names at the lines, pushed apart
    placed.forEach((one, i) => { one.y = Math.max(one.at[1], i ? placed[i - 1].y + gap : top); });
    const over = placed.length ? placed[placed.length - 1].y - (height - bottom) : 0;
    if (over > 0) placed.forEach((one, i) => { one.y = Math.min(one.y, height - bottom - gap * (placed.length - 1 - i)); });
    for (const { name, i, at, y } of placed)
      svg.append(draw("path", { class: `curve curve-${i} leader`, d: `M${at[0].toFixed(1)} ${at[1].toFixed(1)}L${width - right + 12} ${y.toFixed(1)}` }), draw("text", { x: width - right + 15, y: y + 4 }, name));
    const head = [by === "n" ? "n" : "ε", ...names].map((one) => make("th", { scope: "col" }, one));
    const body = x.map((v, j) => make("tr", {}, make("th", { scope: "row" }, by === "n" ? said(v) : String(Number(v.toPrecision(4)))), ...errors.map((row) => make("td", {}, row[j] === null ? "—" : shown(row[j], unit)))));
    const table = make("table", {}, make("caption", {}, what), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
    return make("figure", {}, svg, make("figcaption", {}, by === "n" ? "More people: the error falls with √n." : "A larger ε: parameters are the best at each ε."), make("details", {}, make("summary", {}, `The numbers, against ${label}`), table));
  };
  const copied = (text, button) => { // a page from a file may have no clipboard: then the line is left selected
    const told = (word) => {
      button.firstChild.data = word;
      setTimeout(() => { button.firstChild.data = "Copy"; }, 2000);
    };
    const select = () => {
      getSelection().selectAllChildren(button.parentElement.querySelector("code"));
      told(document.execCommand("copy") ? "Copied" : "Selected");
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => told("Copied"), select);
    else select();
  };
  const lineOf = (label, text) => {
    const button = make("button", { type: "button" }, "Copy", make("span", { class: "visually-hidden" }, ` the line for ${label}`));
    button.addEventListener("click", () => copied(text, button));
    return make("li", {}, make("span", {}, label), make("code", {}, text), button);
  };
  const times = (x) => (x < 9.995 ? x.toFixed(2) : x < 1e6 ? said(Math.round(x)) : x.toExponential(1)) + "×";

  const start = (root) => {
    const state = { task: "item", texts: {} };
    const chosen = make("select", { id: "choose-task" });
    for (const [task, { label }] of Object.entries(TASKS)) chosen.append(make("option", { value: task }, label));
    const fields = make("div", { class: "fields" });
    const form = make("form", { "aria-label": "The question" }, make("p", {}, make("label", { for: "choose-task" }, "A person has"), chosen), fields);
    const summary = make("p", { role: "status", "aria-live": "polite", class: "summary" });
    const best = make("div", { class: "ranked" }), rest = make("div", { class: "excluded" });
    const lines = make("div", { class: "lines" }), drawn = make("div", { class: "drawn" });
    const examples = Object.entries(EXAMPLES).map(([label, question]) => {
      const button = make("button", { type: "button" }, label);
      button.addEventListener("click", () => { location.hash = question; });
      return make("li", {}, button);
    });
    root.replaceChildren(form, summary, best, lines, drawn, rest, make("p", {}, "Questions to start from:"), make("ul", { class: "examples" }, ...examples));
    form.addEventListener("submit", (event) => event.preventDefault());

    const build = () => {
      chosen.value = state.task;
      fields.replaceChildren();
      for (const [name, field] of Object.entries(fieldsOf(state.task))) {
        const id = `choose-${name}`, text = state.texts[name] ?? field.usual ?? "";
        const input = field.flag
          ? make("input", { id, name, type: "checkbox" })
          : make("input", { id, name, type: "text", inputmode: field.integer ? "numeric" : "decimal", autocomplete: "off", "aria-describedby": `${id}-hint ${id}-rule` });
        if (field.flag) input.checked = read(name, field, text).value;
        else input.value = text;
        input.addEventListener("input", () => {
          state.texts[name] = field.flag ? input.checked : input.value;
          update();
          link();
        });
        const label = make("label", { for: id }, field.label);
        fields.append(
          field.flag
            ? make("p", { class: "flag" }, input, label)
            : make("p", {}, label, input, make("span", { id: `${id}-hint`, class: "hint" }, field.hint ?? ""), make("span", { id: `${id}-rule`, class: "rule" })),
        );
      }
    };
    const link = () => {
      const told = new URLSearchParams({ task: state.task });
      for (const [name, field] of Object.entries(fieldsOf(state.task))) {
        const text = String(state.texts[name] ?? field.usual ?? "");
        if (text !== String(field.usual ?? "")) told.set(name, text);
      }
      history.replaceState(null, "", `#${told}`);
    };
    let speaking = 0, drawing = 0;
    const clear = () => {
      clearTimeout(drawing);
      for (const part of [best, lines, drawn, rest]) part.replaceChildren();
      drawn.dataset.curves = "";
    };
    const say = (text) => { // once typing has stopped, so that a screen reader is not interrupted at every key
      clearTimeout(speaking);
      speaking = setTimeout(() => summary.textContent !== text && summary.replaceChildren(text), 300);
    };
    const update = () => {
      const { question, rules } = readAll(state.task, state.texts);
      for (const [name, field] of Object.entries(fieldsOf(state.task))) {
        if (field.flag) continue;
        const input = document.getElementById(`choose-${name}`), rule = document.getElementById(`choose-${name}-rule`);
        input.toggleAttribute("aria-invalid", false);
        if (rules[name]) input.setAttribute("aria-invalid", "true");
        rule.textContent = rules[name] ?? "";
      }
      root.dataset.question = Object.keys(rules).length ? "" : JSON.stringify(question);
      if (Object.keys(rules).length) {
        clear();
        say(`No ranking: ${Object.values(rules).join("; ")}.`);
        return;
      }
      show(rank(state.task, question), question);
    };
    const show = (choices, question) => {
      clear();
      const ranked = choices.filter((one) => !one.excluded), others = choices.filter((one) => one.excluded);
      const { what } = TASKS[state.task], first = ranked[0];
      const unit = Object.keys(first?.errors ?? {})[0];
      const least = smallest(others.length ? others : [{ error: Infinity }], (one) => one.error);
      const less = first && least.error < first.error * (1 - 1e-9) ? ` Of these, ${least.name} has less: ${shown(least.error, unit)}.` : "";
      say(
        first
          ? `Best of ${ranked.length}: ${first.name}, with a standard error of ${shown(first.error, unit)}. ${others.length} more are excluded.${less}`
          : `No mechanism fits; ${others.length} are excluded, each with its reason.`,
      );
      const head = ["Mechanism", "Standard error", "People for the same error", "Bits, private + public", "The server works per"];
      const body = ranked.map((one) => {
        const line = make("tr", { "data-name": one.name, "data-choice": JSON.stringify(one) });
        const parts = Object.entries(one.errors).slice(state.task === "pairs" ? 0 : 1);
        const detail = parts.map(([name, x]) => make("span", { class: "part" }, `${name} ${shown(x, name)}`));
        line.append(
          make("th", { scope: "row" }, one.name, make("span", { class: "why" }, one.why)),
          make("td", {}, shown(one.error, unit), ...detail),
          make("td", {}, times(square(one.error / first.error))),
          make("td", {}, `${said(one.private)} + ${said(one.public)}`),
          make("td", {}, one.server),
        );
        return line;
      });
      const caption = make("caption", {}, `Standard error of the ${what}, from ${said(question.n)} people at ε = ${question.epsilon}`);
      best.replaceChildren(
        ...(first ? [make("table", {}, caption, make("thead", {}, make("tr", {}, ...head.map((x) => make("th", { scope: "col" }, x)))), make("tbody", {}, ...body))] : []),
      );
      if (first) {
        const copies = ranked.slice(0, CURVES).map((one) => lineOf(one.name, one.code));
        lines.replaceChildren(make("p", {}, "In Python, this ranking and the best mechanisms:"), make("ul", {}, lineOf("all of them", line(state.task, question)), ...copies));
        const { task } = state;
        drawing = setTimeout(() => { // once typing has stopped: it ranks at many ε
          const found = curves(task, question, ranked);
          drawn.replaceChildren(...found.map((one) => picture(one, question, unit)));
          drawn.dataset.curves = JSON.stringify(found);
        }, 150);
      }
      const listing = others.map((one) => make("li", { "data-name": one.name, "data-choice": JSON.stringify({ ...one, error: Number.isFinite(one.error) ? one.error : null }) }, make("strong", {}, one.name), `: ${one.why}${Number.isFinite(one.error) ? ` (standard error ${shown(one.error, Object.keys(one.errors)[0])})` : ""}`));
      rest.replaceChildren(...(others.length ? [make("p", {}, "Excluded:"), make("ul", {}, ...listing)] : []));
    };
    const follow = () => { // a link says everything: what it leaves out is as usual
      const told = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
      const { task = "item", ...texts } = told;
      if (!Object.hasOwn(TASKS, task)) {
        root.dataset.question = "";
        clear();
        say(`No ranking: task must be one of ${Object.keys(TASKS).join(", ")}, got ${task}.`);
        return;
      }
      Object.assign(state, { task, texts });
      build();
      update();
    };
    chosen.addEventListener("change", () => {
      state.task = chosen.value;
      build();
      update();
      link();
    });
    window.addEventListener("hashchange", follow);
    build();
    follow();
  };

  const root = document.getElementById("choose");
  if (root) start(root);
})();
