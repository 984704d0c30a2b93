"""Facts that can be confirmed: those of any paper's evidence, and those of one home."""

from verify.recheck import confirmations as known


def test_a_fact_without_a_confirmation_is_code_of_somebodys_folder():
    assert known.trust_reason("coq.theorem", "") == "Coq, run by --coq"
    assert known.trust_reason("cell.follows", "") == ""
    assert known.trust_reason("squares.suffice", "") == known.FOLDER_CODE
    assert known.trust_reason("squares.suffice", known.TEMPLATE) == ""
    assert set(known.confirmations("")) < set(known.confirmations(known.TEMPLATE))
