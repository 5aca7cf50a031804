// What tests ask of the client, in Node.js and in a browser: a task goes in, JSON comes out.

function script(choices) {
  const left = [...choices];
  const next = (chance) => {
    const choice = left.shift();
    if (choice?.chance !== chance) throw new Error(`asked for ${chance}, the vectors say ${choice?.chance}`);
    return choice.option;
  };
  return {
    coin: (threshold) => {
      const heads = left[0]?.option === 0;
      next(`${heads ? threshold : 2 ** 53 - threshold}/9007199254740992`);
      return heads;
    },
    below: (k) => next(`1/${k}`),
    get left() {
      return left.length;
    },
  };
}

export function run(client, task) {
  const made = new client[task.kind](task.numbers);
  if (task.what === "slots") return task.public.map(({ seed, key }) => made.slot(seed, Number(key)));
  if (task.what === "replay")
    return task.some.map(({ choices }) => {
      const chance = script(choices);
      const report = made.report(task.value, chance);
      return { report, left: chance.left };
    });
  if (task.what === "reports") return client.lines(task.header, task.values.map((value) => made.report(value)));
  if (task.what === "refused")
    return task.values.map((value) => {
      try {
        return String(made.report(value));
      } catch (error) {
        return error.message;
      }
    });
  throw new Error(task.what);
}
