"""Proofs that begin with a list: sphinx_proof writes the word “Proof.” into its first line, and steps would run on."""

from sphinx_proof.directive import ProofDirective


class Proof(ProofDirective):
    """A proof, whose steps are a list even if the first of them is its first line."""

    def run(self):
        if self.content[0].startswith("1. "):
            self.content.insert(0, "", self.content.source(0))  # a line of its own for the word
        return super().run()


def setup(app):
    app.setup_extension("sphinx_proof")
    app.add_directive_to_domain("prf", "proof", Proof, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
