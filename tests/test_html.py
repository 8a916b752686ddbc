from ofakind.html import POLICY, WITH_IMAGES, whole_page


def test_a_page_holds_its_parts_and_loads_nothing_from_elsewhere():
    page = whole_page(title="Mine", style="p { margin: 0; }", body="<p>Hello.</p>")
    assert page.startswith("<!DOCTYPE html>\n")
    assert f'content="{POLICY}"' in page
    assert "default-src 'none'" in POLICY
    assert "p { margin: 0; }</style>" in page
    assert "<body>\n<p>Hello.</p>\n</body>" in page


def test_a_title_is_text_and_not_html():
    page = whole_page(title="<script>", style="", body="")
    assert "<title>&lt;script&gt;</title>" in page
    assert "<script>" not in page


def test_images_are_let_in_only_from_inside_the_page():
    assert WITH_IMAGES.removeprefix(POLICY) == "; img-src data:"
    assert f'content="{WITH_IMAGES}"' in whole_page(title="", style="", body="", policy=WITH_IMAGES)
